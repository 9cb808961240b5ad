import ErrandJSON
import Foundation

struct RequestBuilder {
  let settings: BuildingSettings
  let context: RequestContext
  var substitute: (any Transport)?
  /// A base URL that replaces the agent's base URL; `nil`: no replacement.
  var selectedBase: URL?
  /// True if `build` or `finish` has found an untrusted origin.
  private(set) var isUntrusted = false
  /// The fragment of the URL, for reports and the response's URL.
  ///
  /// Fragments are not sent.
  private(set) var fragment: String?
  /// False for a URL from a ``URLStem``, because a stem has no user info.
  private var mayHaveUserInfo = true
  /// The names of headers left out because the origin is untrusted, such as `Authorization`.
  private(set) var withheld: [String] = []

  init(settings: BuildingSettings, context: RequestContext, substitute: (any Transport)? = nil) {
    self.settings = settings
    self.context = context
    self.substitute = substitute
  }

  private var capabilities: TransportCapabilities { (substitute ?? settings.transport).capabilities }

  private func checkNetworks(of request: some Request) throws {
    if request.networkAccess != .all, !capabilities.choosesNetworks {
      throw Refusal(
        "networkAccess is \(request.networkAccess.summary), and \(type(of: substitute ?? settings.transport)) cannot choose networks",
        kind: .unsupported)
    }
    if settings.destinations.refusesPrivateAddresses, !capabilities.checksAddresses {
      throw Refusal(
        "destinations.refusesPrivateAddresses is set, and \(type(of: substitute ?? settings.transport)) does not check addresses",
        kind: .unsupported)
    }
  }

  mutating func build(_ request: some Request) throws -> HTTPRequest {
    try checkNetworks(of: request)
    if var custom = request.customRequest {
      fragment = URLParts.fragment(of: custom.url.absoluteString)
      try finish(&custom, of: request, built: nil)
      isUntrusted = isForeign(custom.url, of: request)
      return custom
    }
    let path = request.path
    let method = request.method
    let body = request.body
    let parameters =
      settings.parameters.isEmpty ? request.parameters : self.parameters(of: request, path)
    let parametersAreQuery = method.putsParametersInQuery || !body.isAutomatic
    var query: [String] = []
    if parametersAreQuery, !parameters.isEmpty {
      query.append(try request.requestSerializer.query(of: parameters))
    }
    let own = request.query
    if !own.isEmpty { query.append(try request.requestSerializer.query(of: own)) }

    let url = try url(of: request, path, query: query)
    if isUntrusted || settings.destinations.checksNamedOrigins { try judge(url.url, of: request) }
    let headers = agentHeaders().merging(request.headers)
    // Uses the memberwise initializer, because the optimizer copies a large value in other initializers.
    var http = HTTPRequest(
      method: method, headers: headers,
      body: parametersAreQuery
        ? body
        : parameters.isEmpty
          ? .none : try self.body(of: parameters, by: request.requestSerializer, headers: headers),
      trailers: request.trailers, location: url)
    if mayHaveUserInfo { try moveUserInfo(in: &http) }
    addDefaults(to: &http, accept: request.responseSerializer.accept)
    try complete(&http)
    return http
  }

  /// Checks and completes a request.
  ///
  /// `built` is the earlier request, before the change by a hook or the authenticator. `nil`: a new custom
  /// request.
  mutating func finish(_ http: inout HTTPRequest, of request: some Request, built: HTTPRequest?) throws {
    if built?.location != http.location {
      http.url = try URLJoining.check(http.url)
      try judge(http.url, of: request)
      if let built, !Origin.same(http.url, built.url) {
        withholdHeaders(from: &http, of: request, built: built)
      }
      try moveUserInfo(in: &http)
    }
    try complete(&http, built: built)
  }

  @inline(never)
  func judge(_ url: URL, of request: some Request) throws(Refusal) {
    if URLParts.isData(url.absoluteString) { return }
    try settings.destinations.check(url, isNamed: !isForeign(url, of: request))
  }

  /// Removes the agent's sensitive headers from a request to an untrusted origin.
  ///
  /// Headers set by the request itself stay.
  @inline(never)
  mutating func withholdHeaders(from http: inout HTTPRequest, of request: some Request, built: HTTPRequest) {
    guard isForeign(http.url, of: request) else { return }
    isUntrusted = true
    let own = request.customRequest?.headers ?? request.headers
    var carried = built.headers
    carried.fields.removeAll { field in
      own.contains(field.name)
        || !settings.headers.contains(field.name) && !HTTPHeaders.same(field.name, "Authorization")
    }
    RedirectRules.removeSensitiveHeaders(
      carried, in: &http.headers, redaction: context.dispatched.confidential)
    withheld = carried.fields.map(\.name).filter { !http.headers.contains($0) }
  }

  private func complete(_ http: inout HTTPRequest, built: HTTPRequest? = nil) throws {
    http.link.dispatched = context.dispatched
    if built != nil { context.dispatched.noteSecrets(of: http.body) }
    do {
      http.body = try http.body.prepared { context.jsonCoding }
    } catch let error where built != nil && !(error is Refusal || error is TransportError) {
      // The encoding of a JSON value failed, so the kind is `encoding`.
      let clause = (error as? EncodingError)?.clause ?? String(describing: error)
      throw Refusal(clause, kind: .encoding, cause: error)
    }
    setContentType(of: &http, built: built)
    try setContentCoding(of: &http, built: built)
    if !http.trailers.isEmpty || built?.trailers.isEmpty == false {
      try completeTrailers(of: &http, built: built)
    }
    if !http.method.isToken {
      throw Refusal("the method \(http.method.token.debugDescription) is not a token", kind: .invalidRequest)
    }
    if let problem = http.headers.problem(skippingFieldsEqualTo: built?.headers ?? HTTPHeaders()) {
      throw Refusal(problem, kind: .invalidRequest)
    }
    if let provider = http.body.provider { try check(provider, headers: http.headers) }
  }

  @inline(never)
  private func completeTrailers(of http: inout HTTPRequest, built: HTTPRequest?) throws {
    if !http.trailers.isEmpty, !capabilities.sendsTrailers {
      throw Refusal(
        "the request has trailers, but \(type(of: substitute ?? settings.transport)) sends no trailers",
        kind: .unsupported)
    }
    if let problem = TrailerRules.problem(of: http.trailers) { throw Refusal(problem, kind: .invalidRequest) }
    http.announceTrailers(inPlaceOf: built?.trailers ?? .none)
  }

  private func body(
    of parameters: Parameters, by serializer: RequestSerializer, headers: HTTPHeaders
  ) throws -> RequestBody {
    let context = context
    return try serializer.fitting(headers["Content-Type"]).body(of: parameters) { context.jsonCoding }
  }

  @inline(never)
  private func check(_ provider: any BodyProvider, headers: HTTPHeaders) throws {
    if provider.isStream, !capabilities.streamsUploads {
      throw Refusal("the transport cannot send a body as a stream", kind: .unsupported)
    }
    guard let own = provider.contentType.flatMap(MediaType.init), own.type == "multipart",
      let sent = MediaType(of: headers)
    else { return }
    if sent.isJSON || sent.isForm {
      throw Refusal(
        "the header Content-Type, \(sent), is not the type of the body, \(own): remove the header, because the body sets the right value",
        kind: .invalidRequest)
    }
    if sent.type == "multipart", own["boundary"] != sent["boundary"] {
      throw Refusal(
        "the header Content-Type, \(sent), does not have the boundary of the body: remove the header, because the body sets the right value",
        kind: .invalidRequest)
    }
  }

  private mutating func agentHeaders() -> HTTPHeaders {
    var headers = settings.headers
    if headers.fields.isEmpty || !isUntrusted { return headers }
    let confidential = context.dispatched.confidential
    headers.fields.removeAll { !RedirectRules.mayCrossOrigins($0, redaction: confidential) }
    withheld = settings.headers.fields.map(\.name).filter { !headers.contains($0) }
    return headers
  }

  @inline(never)
  private func parameters(of request: some Request, _ path: String) -> Parameters {
    let own = request.parameters
    guard !URLParts.isData(path.isEmpty ? base(of: request) ?? "" : path), isTrusted(path, of: request) else {
      return own
    }
    var standard = settings.parameters
    for key in request.query.keys + URLParts.queryNames(in: path) { standard[key] = nil }
    return standard.merging(own)
  }

  private func base(of request: some Request) -> String? {
    request.usesCDN
      ? (request.cdnURL ?? settings.cdnURL)?.absoluteString
      : (request.baseURL ?? selectedBase)?.absoluteString ?? settings.base
  }

  private func isTrusted(_ path: String, of request: some Request) -> Bool {
    guard URLJoining.isAbsolute(path) else { return true }
    return URL(string: path).map { !isForeign($0, of: request) } ?? false
  }

  func isForeign(_ url: URL, of request: some Request) -> Bool {
    !URLParts.isData(url.absoluteString) && !settings.trustedOrigins.contain(url, of: request)
  }

  private mutating func joined(
    _ request: some Request, base: String?, path: String, query: [String]
  ) throws -> WrittenURL {
    let url = try URLJoining.url(base: base, path: path, query: query)
    if !URLParts.isData(url.absoluteString) {
      fragment = URLParts.fragment(of: path.isEmpty ? base ?? "" : path)
    }
    isUntrusted = URLJoining.isAbsolute(path) && isForeign(url, of: request)
    return .parsed(url)
  }

  private mutating func url(of request: some Request, _ path: String, query: [String]) throws -> WrittenURL {
    guard request.usesCDN else {
      let own = request.baseURL ?? selectedBase
      let stem = if let own { settings.stems.stem(of: own) } else { settings.stem }
      if let url = stem?.url(path: path, query: query) {
        mayHaveUserInfo = false
        return settings.keepsURLText && substitute == nil ? url : .parsed(url.url)
      }
      return try joined(request, base: own?.absoluteString ?? settings.base, path: path, query: query)
    }
    let base = request.cdnURL ?? settings.cdnURL
    if base == nil, !URLJoining.isAbsolute(path) {
      throw Refusal("usesCDN is set, but neither the request nor the agent has a CDN URL", kind: .invalidURL)
    }
    return try joined(request, base: base?.absoluteString, path: path, query: query)
  }

  /// Removes user info from the URL, because URLs appear in logs.
  ///
  /// If `Authorization` is missing, the user info becomes the header's value.
  private func moveUserInfo(in http: inout HTTPRequest) throws {
    let (credentials, stripped) = try URLJoining.userInfo(of: http.url)
    http.url = stripped
    if let credentials, !http.headers.contains("Authorization") {
      http.headers.add("Authorization", credentials.headerValue)
    }
  }

  /// Sets the `Content-Type` of the body, unless the request has a different value of its own.
  ///
  /// Replaces a value that came from the body of `built`.
  private func setContentType(of http: inout HTTPRequest, built: HTTPRequest?) {
    guard let type = http.body.contentType else { return }
    let present = http.headers["Content-Type"]
    if present == nil || present == built?.body.contentType { http.headers["Content-Type"] = type }
  }

  private func setContentCoding(of http: inout HTTPRequest, built: HTTPRequest?) throws {
    let (coding, before) = (http.body.provider?.contentCoding, built?.body.provider?.contentCoding)
    guard coding != nil || before != nil else { return }
    let present = http.headers["Content-Encoding"]
    if present == nil || present == before { http.headers["Content-Encoding"] = coding }
    guard let coding, let sent = http.headers["Content-Encoding"], sent != coding else { return }
    throw Refusal(
      "the header Content-Encoding, \(sent), is not the coding of the body, \(coding): remove the header, because the body sets the right value",
      kind: .invalidRequest)
  }

  private func addDefaults(to http: inout HTTPRequest, accept: String?) {
    http.headers.fields.reserveCapacity(http.headers.fields.count + 4)
    http.headers.addUnlessPresent("Accept", value: accept)
    // A range counts encoded bytes, so a request with `Range` gets no default `Accept-Encoding`.
    if !http.headers.contains("Range") {
      http.headers.addUnlessPresent("Accept-Encoding", value: capabilities.acceptEncoding)
    }
    http.headers.addUnlessPresent("Accept-Language", value: settings.acceptLanguage)
    http.headers.addUnlessPresent("User-Agent", value: settings.userAgent)
  }
}

extension HTTPHeaders {
  fileprivate mutating func addUnlessPresent(_ name: String, value: String?) {
    if let value, !contains(name) { add(name, value) }
  }
}

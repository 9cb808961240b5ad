import ErrandJSON
import Foundation

/// A property of a request protocol, with wrong names that are often used for the property.
struct RequestMember: Sendable {
  enum Lookalike: Sendable {
    case text, number, truth, url, bytes, dictionary, queryItems, validator, accessory, authenticator
  }

  let name: String
  let type: String
  private var owner = "Request"
  /// The frequent wrong names, in lower case and without `_`.
  private let aliases: Set<String>
  private let isWitness: @Sendable (Any, any Request) -> Bool
  private let looksAlike: @Sendable (Any.Type) -> Bool
  /// Returns true if the request seems not to set the property, so that a similar name is likely a mistake.
  ///
  /// `nil`: similar names are ignored.
  private let isUnset: (@Sendable (any Request) -> Bool)?

  /// Creates a member that ignores similar names, because requests often have such properties of their own.
  init<Value>(_ name: String, type: String, member _: @Sendable (any Request) -> Value) {
    (self.name, self.type, aliases, isUnset) = (name, type, [], nil)
    isWitness = { value, _ in Swift.type(of: value) == Value.self }
    looksAlike = { _ in false }
  }

  init<Value>(
    _ name: String, type: String, member: @escaping @Sendable (any Request) -> Value,
    aliases: Set<String> = [], lookalikes: [Lookalike] = [],
    isUnset: @escaping @Sendable (Value, any Request) -> Bool
  ) {
    (self.name, self.type, self.aliases) = (name, type, aliases)
    isWitness = { value, _ in Swift.type(of: value) == Value.self }
    looksAlike = { type in type == Self.unwrapped(Value.self) || lookalikes.contains { $0.includes(type) } }
    self.isUnset = { isUnset(member($0), $0) }
  }

  /// Creates a member for a serializer, recognized by a cast.
  ///
  /// A mirror shows the type of the value, not the type of the property.
  private init(serializer name: String) {
    (self.name, aliases) = (name, [])
    type = "any ResponseSerializer<Response>"
    isWitness = { Self.isSerializer($0, of: $1) }
    looksAlike = { $0 is any ResponseSerializer.Type }
    isUnset = { _ in true }
  }

  static let responseSerializer = RequestMember(serializer: "responseSerializer")

  private static func isSerializer<R: Request>(_ value: Any, of request: R) -> Bool {
    value is any ResponseSerializer<R.Response>
  }

  static func clause(
    about label: String, _ value: Any, in request: any Request, of members: [RequestMember]
  ) -> String? {
    if let member = members.first(where: { $0.name == label }) {
      guard !member.isWitness(value, request) else { return nil }
      return "`\(label)` is \(Swift.type(of: value)); `\(member.owner).\(label)` is \(member.type)"
    }
    let type = unwrapped(Swift.type(of: value))
    let meant = members.first { $0.isNear(label) && $0.looksAlike(type) && $0.isUnset?(request) == true }
    return meant.map { "`\(label)` is not a member of `\($0.owner)`; `\($0.owner).\($0.name)` is \($0.type)" }
  }

  private func isNear(_ label: String) -> Bool {
    guard isUnset != nil else { return false }
    let (label, name) = (Self.plain(label), Self.plain(name))
    if label == name || aliases.contains(label) { return true }
    let bound = name.count < 6 ? 0 : name.count < 10 ? 1 : 2
    return EditDistance.between(label, name) <= bound
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
  }

  /// A test compares the list with the protocol.
  static let all = wire + rules + extras

  func required(by owner: String) -> RequestMember {
    var member = self
    member.owner = owner
    return member
  }

  private static func carriesNothing(_ request: some Request) -> Bool {
    request.parameters.isEmpty && request.query.isEmpty && request.body.isAutomatic
      && request.customRequest == nil
  }

  private static let wire = [
    RequestMember("baseURL", type: "URL?", member: { $0.baseURL }, aliases: ["baseuri"], lookalikes: [.text])
    { url, _ in
      url == nil
    },
    RequestMember(
      "path", type: "String", member: { $0.path },
      aliases: ["url", "uri", "urlpath", "urlstring", "requestpath", "endpoint", "route"], lookalikes: [.url]
    ) { path, request in path.isEmpty && request.baseURL == nil && carriesNothing(request) },
    RequestMember(
      "method", type: "HTTPMethod", member: { $0.method }, aliases: ["httpmethod", "requestmethod"],
      lookalikes: [.text]
    ) { method, _ in method == .get },
    RequestMember(
      "headers", type: "HTTPHeaders", member: { $0.headers },
      aliases: [
        "httpheaders", "headerfields", "httpheaderfields", "allhttpheaderfields", "requestheaders",
        "additionalheaders", "customheaders", "extraheaders",
      ], lookalikes: [.dictionary]
    ) { headers, _ in headers.fields.isEmpty },
    RequestMember(
      "parameters", type: "Parameters", member: { $0.parameters },
      aliases: ["param", "params", "requestparameters", "bodyparameters"], lookalikes: [.dictionary]
    ) { _, request in carriesNothing(request) },
    RequestMember(
      "query", type: "Parameters", member: { $0.query },
      aliases: ["queryparameters", "queryparams", "queryitems", "urlquery", "urlparameters"],
      lookalikes: [.dictionary, .queryItems]
    ) { _, request in carriesNothing(request) },
    RequestMember(
      "body", type: "RequestBody", member: { $0.body },
      aliases: ["httpbody", "requestbody", "bodydata", "jsonbody"], lookalikes: [.bytes, .dictionary, .text]
    ) { _, request in carriesNothing(request) },
    RequestMember(
      "trailers", type: "RequestTrailers", member: { $0.trailers },
      aliases: ["requesttrailers", "trailerfields", "httptrailers"], lookalikes: [.dictionary]
    ) { trailers, _ in trailers.isEmpty },
    RequestMember(
      "requestSerializer", type: "RequestSerializer", member: { $0.requestSerializer },
      aliases: ["parameterencoding", "requestencoding"]
    ) { serializer, _ in serializer.contentType == RequestSerializer.form.contentType },
    responseSerializer,
    RequestMember("jsonCoding", type: "JSONCoding?", member: { $0.jsonCoding }) { coding, _ in coding == nil
    },
    RequestMember("jsonDecoder", type: "JSONDecoder?", member: { $0.jsonDecoder }) { decoder, _ in
      decoder == nil
    },
    RequestMember("jsonEncoder", type: "JSONEncoder?", member: { $0.jsonEncoder }) { encoder, _ in
      encoder == nil
    },
    RequestMember(
      "validators", type: "[any ResponseValidator]", member: { $0.validators },
      aliases: ["validation", "validations"],
      lookalikes: [.validator]
    ) { validators, _ in validators.areStandard },
  ]

  private static let rules = [
    RequestMember(
      "retryPolicy", type: "RetryPolicy", member: { $0.retryPolicy }, aliases: ["retry", "retries"]
    ) { policy, _ in policy.isStandard },
    RequestMember(
      "redirectPolicy", type: "RedirectPolicy", member: { $0.redirectPolicy },
      aliases: ["redirect", "redirects"]
    ) { policy, _ in policy == .inherited },
    RequestMember("mockPolicy", type: "MockPolicy", member: { $0.mockPolicy }, aliases: ["mock", "mocks"]) {
      policy, _ in
      if case .never = policy.storage { true } else { false }
    },
    RequestMember(
      "authentication", type: "Authentication", member: { $0.authentication },
      aliases: ["auth", "authenticator", "authorization"], lookalikes: [.authenticator]
    ) { authentication, _ in if case .inherited = authentication.storage { true } else { false } },
    RequestMember(
      "coalescing", type: "CoalescingPolicy", member: { $0.coalescing }, aliases: ["coalescingpolicy"]
    ) { coalescing, _ in coalescing == .none },
    RequestMember(
      "timeout", type: "Duration", member: { $0.timeout }, aliases: ["timeoutinterval", "requesttimeout"],
      lookalikes: [.number]
    ) { timeout, _ in timeout == .unstatedTimeout },
    RequestMember("deadline", type: "Duration?", member: { $0.deadline }, lookalikes: [.number]) {
      deadline, _ in
      deadline == nil
    },
    RequestMember(
      "priority", type: "RequestPriority", member: { $0.priority }, aliases: ["requestpriority"]
    ) { priority, _ in priority == .default },
    RequestMember("limitKey", type: "String?", member: { $0.limitKey }) { key, _ in key == nil },
    RequestMember(
      "cookies", type: "CookiePolicy", member: { $0.cookies },
      aliases: ["cookiepolicy", "cookiestore", "cookiejar"]
    ) { cookies, _ in cookies.isInherited },
    RequestMember(
      "cachePolicy", type: "CachePolicy", member: { $0.cachePolicy },
      aliases: ["cache", "caching", "requestcachepolicy"]
    ) { policy, _ in policy.isInherited },
    RequestMember(
      "networkAccess", type: "NetworkAccess", member: { $0.networkAccess },
      aliases: [
        "network", "allowscellularaccess", "allowsexpensivenetworkaccess", "allowsconstrainednetworkaccess",
      ], lookalikes: [.truth]
    ) { access, _ in access == .all },
    RequestMember("isSerial", type: "Bool", member: { $0.isSerial }, aliases: ["serial"]) { isSerial, _ in
      !isSerial
    },
    RequestMember("limits", type: "TransferLimits?", member: { $0.limits }, aliases: ["transferlimits"]) {
      limits, _ in
      limits == nil
    },
    RequestMember("usesCDN", type: "Bool", member: { $0.usesCDN }) { usesCDN, _ in !usesCDN },
    RequestMember("cdnURL", type: "URL?", member: { $0.cdnURL }, aliases: ["cdnbaseurl"], lookalikes: [.text])
    { url, _ in
      url == nil
    },
  ]

  private static let extras = [
    RequestMember("tag", type: "Int", member: { $0.tag }),
    RequestMember("userInfo", type: "[String: any Sendable]", member: { $0.userInfo }),
    RequestMember(
      "accessories", type: "[any Accessory]", member: { $0.accessories }, aliases: ["accessory"],
      lookalikes: [.accessory]
    ) { accessories, _ in accessories.isEmpty },
    RequestMember("secrets", type: "[Secret]", member: { $0.secrets }),
    RequestMember("comment", type: "String?", member: { $0.comment }),
    RequestMember(
      "urlTemplate", type: "String?", member: { $0.urlTemplate }, aliases: ["pathtemplate", "routetemplate"],
      lookalikes: [.text]
    ) { template, _ in template == nil },
    RequestMember(
      "customRequest", type: "HTTPRequest?", member: { $0.customRequest },
      aliases: ["httprequest", "rawrequest"]
    ) { request, _ in request == nil },
    RequestMember(
      "idempotencyKey", type: "IdempotencyKey", member: { $0.idempotencyKey }, aliases: ["idempotency"]
    ) { key, _ in !key.isAsked },
  ]
}

extension RequestMember.Lookalike {
  fileprivate func includes(_ type: Any.Type) -> Bool {
    switch self {
    case .text: type == String.self
    case .number: type is any Numeric.Type
    case .truth: type == Bool.self
    case .url: type == URL.self
    case .bytes: type == Data.self
    case .dictionary: type is any StringKeyed.Type
    case .queryItems: type == [URLQueryItem].self
    case .validator: type is any ResponseValidator.Type
    case .accessory: type is any Accessory.Type
    case .authenticator: type is any Authenticator.Type
    }
  }
}

private protocol OptionalType { static var wrapped: Any.Type { get } }
extension Optional: OptionalType { fileprivate static var wrapped: Any.Type { Wrapped.self } }

private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

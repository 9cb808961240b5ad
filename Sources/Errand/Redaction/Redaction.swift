public import Foundation

/// The rules for hiding secrets in the output of Errand: logs, errors, descriptions and recordings.
///
/// ```swift
/// configuration.redaction = .standard.hiding(headers: ["X-Internal"]).showing(["token_count"])
/// ```
///
/// ``standard`` hides `Authorization`, `Cookie` and the user info of URLs. The standard rules also hide
/// header fields, query items, form fields and JSON members with a secret name. A secret name
///
/// - contains `token`, `secret`, `password`, `passwd`, `passphrase`, `credential`, `signature`, `session`,
///   `sessid`, `assertion` or `authorization`, or a word for a key: `apikey`, `accesskey`, `privatekey`,
///   `authkey`, `appkey`, `applicationkey`, `consumerkey`, `encryptionkey`, `functionskey`, `licensekey`,
///   `masterkey` or `subscriptionkey`;
/// - ends in `auth`;
/// - or is `cookie`, `cookie2`, `setcookie`, `setcookie2`, `pwd`, `pass`, `jwt`, `otp`, `hmac`, `x-jwt`,
///   `x-otp`, `x-hmac`, `x-pin`, `samlresponse`, `codeverifier` or `devicecode`; in a URL or free text, also
///   `key` or `sig`.
///
/// ASCII case, punctuation and spaces do not matter. A part between `[`, `]` or `.` also counts as a name.
/// Header fields that start with `Access-Control-` are exempt.
///
/// Redaction also hides known values under any name. The known values are each ``Secret`` given to
/// ``hiding(secrets:)`` or found in a request, and the credentials of ``hidingCredentials(of:)``. Secrets in
/// a binary body may remain undetected: see <doc:HidingSecrets>.
public struct Redaction: Sendable, Hashable {
  /// The standard rules, the default of every agent.
  public static let standard = Redaction(hidesSecretNames: true, queryItems: ["key", "sig"])

  /// Rules that hide nothing.
  ///
  /// Dangerous: logs may then contain the credentials of your users. Use `none` only for debugging on your
  /// own machine.
  public static let none = Redaction(hidesSecretNames: false, queryItems: [])

  /// The replacement text for a secret: `<redacted>`.
  public static let marker = "<redacted>"

  private(set) var hidesSecretNames: Bool
  private(set) var names: ListedNames
  /// `nil`: ``showing(_:)`` was not called.
  private(set) var shown: Set<SecretName>?
  private(set) var values: HiddenValues?

  private init(hidesSecretNames: Bool, queryItems: [String]) {
    self.hidesSecretNames = hidesSecretNames
    names = ListedNames(queryItems: queryItems)
  }

  /// Returns a redaction that also hides the values of the given names.
  ///
  /// `fields` are the names of query items, form fields, and JSON members at any depth.
  public func hiding(
    headers: [String] = [], queryItems: [String] = [], fields: [String] = []
  ) -> Redaction {
    var redaction = self
    redaction.names = names.adding(headers: headers, queryItems: queryItems + fields, fields: fields)
    return redaction
  }

  /// Returns a redaction that shows the values of the given names, such as `token_count`.
  ///
  /// A name counts as a whole: `token_count` does not show `usage[token_count]`. For a shown name,
  /// ``hiding(headers:queryItems:fields:)`` has no effect. Known secrets, and secrets in the values, stay
  /// hidden.
  public func showing(_ names: [String]) -> Redaction {
    var redaction = self
    redaction.shown = (shown ?? []).union(names.map { SecretName($0) })
    return redaction
  }

  /// Returns a redaction that also hides the values of the given secrets, under any name.
  ///
  /// A value of less than 4 bytes is hidden only as a separate word.
  public func hiding(secrets: [Secret]) -> Redaction {
    hiding(values: Set(secrets.compactMap { HiddenValue($0) }))
  }

  func hiding(values more: Set<HiddenValue>) -> Redaction {
    guard !more.isSubset(of: values?.values ?? []) else { return self }
    var redaction = self
    redaction.values = HiddenValues(more.union(values?.values ?? []))
    return redaction
  }

  package var hidesNothing: Bool { hidesNoNames && values == nil }

  var hidesNoNames: Bool {
    !hidesSecretNames && names.isEmpty
  }

  var withStandardNames: Redaction {
    var redaction = hiding(queryItems: ["key", "sig"])
    redaction.hidesSecretNames = true
    return redaction
  }

  package func hidingValues(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    values?.hide(in: bytes, isCut: isCut) ?? bytes
  }

  package func hidingValues(_ text: String) -> String {
    guard let values else { return text }
    return String(decoding: values.hide(in: Array(text.utf8)), as: UTF8.self)
  }

  /// Returns a redaction that also hides the credentials of `request`.
  ///
  /// The credentials are the values under secret names in the query, fragment, headers and trailers. A form
  /// or JSON body in memory of up to 8 MiB is also searched. The URL's password, or a token as user name, is
  /// usually also a credential.
  ///
  /// Values of less than 4 or more than 65,536 bytes, and words such as `true`, are ignored. For ``none``,
  /// the result hides nothing.
  public func hidingCredentials(of request: HTTPRequest) -> Redaction {
    guard !hidesNothing else { return self }
    let known = request.link.own?.values?.values ?? []
    return hiding(values: CredentialFinder.values(in: request, by: self).union(known))
  }

  /// Returns the headers with secret values replaced by ``marker``.
  ///
  /// In `Authorization`, a known scheme before credentials stays visible: `Bearer <redacted>`.
  public func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    guard !hidesNothing else { return headers }
    return HTTPHeaders(
      headers.fields.map { field in
        .init(
          name: hidingValues(HTTPHeaders.shown(name: field.name)),
          value: value(hidingValues(field.value), of: field.name))
      })
  }

  private func value(_ value: String, of name: String) -> String {
    if hidesNoNames { return value }
    if hidesHeader(name) {
      return SecretName(name).isAuthorization
        ? AuthorizationScheme.redactingCredentials(in: value) : Self.marker
    }
    if HTTPHeaders.same(name, "Upload-Metadata") { return TusMetadata.redacted(value, by: self) }
    if Self.urlHeaders.contains(where: { HTTPHeaders.same($0, name) }), !value.contains(" ") {
      return String(decoding: url(bytes: Array(value.utf8)[...], depth: 0), as: UTF8.self)
    }
    return String(decoding: text(bytes: Array(value.utf8), depth: 0), as: UTF8.self)
  }

  func hidesHeader(_ name: String) -> Bool { hides(name, in: .header) && !Self.isPolicy(name) }

  /// Returns true for fields such as `Access-Control-Allow-Credentials`, which have no secret despite the
  /// name.
  private static func isPolicy(_ name: String) -> Bool { name.lowercased().hasPrefix("access-control-") }

  private static let urlHeaders = ["Location", "Content-Location", "Referer", "Origin"]

  /// Returns the URL as text, with its secrets replaced by ``marker``.
  ///
  /// The secrets are known values, and the values of query items and path parameters with secret names. Rules
  /// based on ``standard`` also hide the user info, and the content of a `data` URL. The fragment is redacted
  /// like the query (RFC 6749 section 4.2.2). Query values are also redacted like free text.
  public func url(_ url: URL) -> String { self.url(text: url.absoluteString) }

  /// Returns a URL, or similar text such as a request target, with the secrets replaced by ``marker``.
  package func url(text: String, depth: Int = 0) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8))
    let shown = hidesNoNames ? bytes : url(bytes: bytes[...], depth: depth)
    return PrintedURL.decodingMarkers(in: String(decoding: shown, as: UTF8.self))
  }

  /// Redacts a URL in which the caller has already hidden the known values.
  func url(bytes: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    if hidesSecretNames, let head = PrintedURL.headOfDataURL(bytes) { return head + Array(Self.marker.utf8) }
    var result: [UInt8] = []
    var rest = bytes
    if hidesSecretNames, let hidden = HiddenUserInfo.range(in: bytes) {
      result.append(contentsOf: bytes[..<hidden.lowerBound])
      result.append(contentsOf: Self.marker.utf8)
      rest = bytes[hidden.upperBound...]
    }
    let start = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    path(rest[..<start], into: &result)
    rest = rest[start...]
    while let mark = rest.popFirst() {
      let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
      result.append(mark)
      pairs(rest[..<end], in: .queryItem, depth: depth, into: &result)
      rest = rest[end...]
    }
    return result
  }

  /// Redacts path parameters with secret names, such as in `/cart;jsessionid=…/items` (RFC 3986 section 3.3).
  private func path(_ bytes: ArraySlice<UInt8>, into result: inout [UInt8]) {
    var rest = bytes
    while let start = rest.firstIndex(of: UInt8(ascii: ";")) {
      result.append(contentsOf: rest[...start])
      rest = rest[(start + 1)...]
      let end = rest.firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "/") } ?? rest.endIndex
      if let equals = rest[..<end].firstIndex(of: UInt8(ascii: "=")), equals + 1 < end,
        rest[..<equals].withUnsafeBufferPointer({ hides(encoded: $0, in: .queryItem) })
      {
        result.append(contentsOf: rest[...equals])
        result.append(contentsOf: Self.marker.utf8)
        rest = rest[end...]
      }
    }
    result.append(contentsOf: rest)
  }

  /// Returns free text, such as an error message, with its secrets replaced by ``marker``.
  ///
  /// The secrets are known values, the secrets of URLs as in ``url(_:)``, and the values of secret names:
  /// `token=…`, `"token": …`, `Cookie: …`. Rules based on ``standard`` also hide the credentials after schemes
  /// such as `Bearer`, and the text of elements such as `<token>…</token>`.
  ///
  /// Unquoted text after a colon and a blank, as in `name: value`, may be prose. Such text is hidden only
  /// after a header name: `Authorization`, `Cookie`, a secret name with a hyphen, or a header given to
  /// ``hiding(headers:queryItems:fields:)``.
  public func text(_ text: String) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8))
    return String(decoding: hidesNoNames ? bytes : self.text(bytes: bytes, depth: 0), as: UTF8.self)
  }

  /// Redacts free text in which the caller has already hidden the known values.
  func text(bytes: [UInt8], depth: Int) -> [UInt8] {
    bytes.withUnsafeBufferPointer { bytes in
      var redactor = TextRedactor(bytes: bytes, redaction: self, depth: depth)
      return redactor.redact()
    }
  }

  /// Returns a body as text with its secrets replaced by ``marker``, or `(1234 bytes)` if the bytes
  /// are not text in UTF-8.
  ///
  /// In forms and in JSON, even malformed, the values under secret names are replaced. Other text is redacted
  /// as in ``text(_:)``. A `multipart/*` body is shown as a byte count.
  ///
  /// - Parameters:
  ///   - body: the bytes after content decoding.
  ///   - contentType: the `Content-Type`, by which forms and multipart bodies are recognised.
  public func body(_ body: Data, contentType: String?) -> String {
    guard !MediaType.isMultipart(contentType), let text = Self.text(of: body) else {
      return "(\(body.count) bytes)"
    }
    return self.body(text: text, contentType.flatMap { MediaType($0) })
  }

  package func body(text: String, _ media: MediaType?) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8), isCut: true)
    guard !hidesNoNames else { return String(decoding: bytes, as: UTF8.self) }
    let first = bytes.first { !ASCII.isWhitespace($0) && $0 < 0x80 }
    var redacted: [UInt8] = []
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      redacted = JSONRedactor.redact(bytes, by: self)
    } else if media?.description == "application/x-www-form-urlencoded" {
      pairs(bytes[...], in: .field, into: &redacted)
    } else {
      redacted = self.text(bytes: bytes, depth: 0)
    }
    return String(decoding: redacted, as: UTF8.self)
  }

  private static func text(of body: Data) -> String? {
    guard !body.withUnsafeBytes({ $0.contains(0) }) else { return nil }
    // A body in an error may be truncated within a character of up to four bytes.
    let tail = body.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count + 1
    let lead = body.dropLast(tail - 1).last ?? 0
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1
    let isCut = lead <= 0xF4 && tail < length
    return String(data: isCut ? body.dropLast(tail) : body, encoding: .utf8)
  }

  package enum Place {
    case header, queryItem, field
    case text
  }

  package func hides(_ name: some StringProtocol, in place: Place) -> Bool {
    name.withBytes { hides(bytes: $0, in: place) }
  }

  func hides(name: ArraySlice<UInt8>, in place: Place) -> Bool {
    name.withUnsafeBufferPointer { hides(bytes: $0, in: place) }
  }

  func hides(encoded name: UnsafeBufferPointer<UInt8>, in place: Place) -> Bool {
    guard name.contains(UInt8(ascii: "%")) else { return hides(bytes: name, in: place) }
    return hides(name: PercentEncoding.decode(Array(name)[...])[...], in: place)
  }

  /// Returns true if a header of the name must not be sent on to another origin.
  ///
  /// The list of ``showing(_:)`` does not matter here.
  func mustNotLeaveOrigin(_ name: String) -> Bool {
    name.withBytes { looksSecret($0, in: .header) }
  }

  private func hides(bytes name: UnsafeBufferPointer<UInt8>, in place: Place) -> Bool {
    guard looksSecret(name, in: place) else { return false }
    return shown?.contains(SecretName(String(decoding: name, as: UTF8.self))) != true
  }

  private func looksSecret(_ name: UnsafeBufferPointer<UInt8>, in place: Place) -> Bool {
    let isFound = NameScan.finds(in: name, words: hidesSecretNames) { form in
      hidesSecretNames && form.looksSecret || names.have(place) { $0.contains(form) }
    }
    return isFound
      || names.have(place) { !$0.textNames.isEmpty && Self.matchesTextName(name, in: $0.textNames) }
  }

  func isHeaderName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    names.have(.header) { names in
      NameScan.finds(in: name, words: false, names.contains)
        || !names.textNames.isEmpty && Self.matchesTextName(name, in: names.textNames)
    }
  }

  private static func matchesTextName(_ name: UnsafeBufferPointer<UInt8>, in names: Set<SecretName>) -> Bool {
    let name = String(decoding: name, as: UTF8.self)
    let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }
    return names.contains(SecretName(name)) || parts.contains { names.contains(SecretName($0)) }
  }

  /// The maximum nesting of URLs within query values of URLs.
  private static let depthLimit = 3

  /// Redacts a query or a form (WHATWG URL section 5.1).
  func pairs(_ bytes: ArraySlice<UInt8>, in place: Place, depth: Int = 0, into result: inout [UInt8]) {
    let ampersand = UInt8(ascii: "&")
    var start = bytes.startIndex
    while true {
      let end = bytes[start...].firstIndex(of: ampersand) ?? bytes.endIndex
      pair(bytes[start..<end], in: place, depth: depth, into: &result)
      guard end < bytes.endIndex else { return }
      result.append(ampersand)
      start = end + 1
    }
  }

  private func pair(
    _ pair: ArraySlice<UInt8>, in place: Place, depth: Int, into result: inout [UInt8]
  ) {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
      return inner(pair, depth: depth, into: &result)
    }
    let value = pair[(equals + 1)...]
    result.append(contentsOf: pair[...equals])
    if !pair[..<equals].withUnsafeBufferPointer({ hides(encoded: $0, in: place) }) {
      inner(value, depth: depth, into: &result)
    } else if !value.isEmpty {
      result.append(contentsOf: Self.marker.utf8)
    }
  }

  /// Redacts a value as free text.
  ///
  /// An encoded value with secrets is hidden as a whole.
  private func inner(_ value: ArraySlice<UInt8>, depth: Int, into result: inout [UInt8]) {
    guard value.contains(where: Self.mayContainSecret) else { return result.append(contentsOf: value) }
    guard depth < Self.depthLimit else { return result.append(contentsOf: Self.marker.utf8) }
    let decoded = PercentEncoding.decode(value, plusIsBlank: true)
    let redacted = text(bytes: decoded, depth: depth + 1)
    if redacted == decoded {
      result.append(contentsOf: value)
    } else if value.elementsEqual(decoded) {
      result.append(contentsOf: redacted)
    } else {
      result.append(contentsOf: Self.marker.utf8)
    }
  }

  private static func mayContainSecret(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "<"), 0x20,
      0x09:
      true
    default: false
    }
  }
}

/// An object, usually a dispatch, that knows the secrets to hide in printed requests and responses.
protocol Redacting: AnyObject, Sendable {
  var redaction: Redaction { get }
  /// The request's type name, or method and path of a one-off request; `nil` if unknown.
  var endpoint: String? { get }
}

extension RedactionSource {
  var own: Redaction? { (dispatched as? any Redacting)?.redaction }

  var endpoint: String? { (dispatched as? any Redacting)?.endpoint }

  var redaction: Redaction {
    guard let values = own?.values else { return .standard }
    return .standard.hiding(values: values.values)
  }

  /// A decoded report has no dispatch, so ``Redaction/standard`` replaces the agent's redaction.
  func redaction(reporting request: HTTPRequest?) -> Redaction {
    let redaction = own ?? .standard
    return request.map(redaction.hidingCredentials) ?? redaction
  }
}

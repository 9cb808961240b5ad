public import Foundation

/// What is hidden in everything Errand prints: logs, errors, descriptions and recordings.
///
/// ``standard`` is on by default. It hides `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`, the
/// user info of URLs, and every header, query item, form field and JSON member whose name looks like a secret's:
/// in any case and whatever is between its letters, the name
///
/// - contains `token`, `secret`, `password`, `passwd`, `passphrase`, `credential`, `signature`, `session`, `sessid`, `assertion` or
///   `authorization`, or a word for a key: `apikey`, `accesskey`, `privatekey`, `authkey`, `appkey`, `applicationkey`, `consumerkey`,
///   `encryptionkey`, `functionskey`, `licensekey`, `masterkey` or `subscriptionkey`;
/// - ends in `auth`;
/// - or is `cookie`, `cookie2`, `setcookie`, `setcookie2`, `pwd`, `pass`, `jwt`, `otp`, `hmac`, `x-jwt`, `x-otp`, `x-hmac`, `x-pin`, `samlresponse`,
///   `codeverifier` or `devicecode`.
///
/// So `token_count` is hidden too, rather one name too many, unless ``showing(_:)`` names it. The query items `key` and `sig` are hidden as well. In a URL that does
/// not parse, as with a `/` in a password, all between `//` and the last `@` is hidden, in a ``Request/path`` too.
///
/// ```swift
/// configuration.redaction = .standard.hiding(headers: ["X-Internal"], fields: ["pin"]).showing(["token_count"])
/// ```
///
/// Values are hidden too, wherever they stand: in a path, under a harmless name, in a page or an error's text. They are those of
///
/// - each ``Secret`` given to ``hiding(secrets:)``;
/// - each ``Secret`` of a dispatch: in the ``Request/secrets``, ``Request/parameters`` and ``Request/query`` of the request, in a
///   JSON body, and in what the request and the agent's hooks store, as far as they are structs and enums;
/// - what a dispatch has sent under the name of a secret, so that a server that echoes it does not give it away:
///   see ``hidingCredentials(of:)``.
///
/// A value is found as it is, escaped as in URLs, JSON or HTML, in Base64 and in hexadecimal digits. A ``Secret`` of less than
/// four bytes is hidden only where no letter or digit stands beside it. Errors, accessories, and requests and responses of a
/// dispatch know its values; an ``HTTPHeaders`` on its own knows names only. Bytes that are no text are counted, and
/// printed only by logs that say so, without these values.
public struct Redaction: Sendable, Hashable {
  /// Hides what is listed above; the default of every agent.
  public static let standard = Redaction(hidesSecretNames: true, queryItems: ["key", "sig"])

  /// Hides nothing.
  ///
  /// Dangerous: the logs then have the credentials of your users. For debugging on your own machine.
  public static let none = Redaction(hidesSecretNames: false, queryItems: [])

  /// What stands in the place of a secret: `<redacted>`.
  public static let marker = "<redacted>"

  /// Whether names that look like a secret's are hidden, and user info and credentials in text.
  let hidesSecretNames: Bool
  /// The names that are hidden besides.
  private(set) var names: ListedNames
  /// The names that are not hidden, whatever they look like; `nil` for none.
  private(set) var shown: Set<SecretName>?
  /// `nil` when there are none.
  private(set) var values: HiddenValues?

  private init(hidesSecretNames: Bool, queryItems: [String]) {
    self.hidesSecretNames = hidesSecretNames
    names = ListedNames(queryItems: queryItems)
  }

  /// The same, hiding the values of more names; a name counts in any case and with or without `-` and `_`.
  ///
  /// - Parameters:
  ///   - headers: names of header fields.
  ///   - queryItems: names of query items of URLs.
  ///   - fields: names of form fields and JSON members, at any depth, and of query items, as parameters may become any of them.
  public func hiding(
    headers: [String] = [], queryItems: [String] = [], fields: [String] = []
  ) -> Redaction {
    var redaction = self
    redaction.names = names.adding(headers: headers, queryItems: queryItems + fields, fields: fields)
    return redaction
  }

  /// The same, not hiding values for the names they stand under, such as `token_count`: in headers, queries, forms and JSON.
  ///
  /// A name counts as a whole, in any case and with or without `-` and `_`, also where ``hiding(headers:queryItems:fields:)`` has it.
  /// Values that are known to be secret stay hidden, and what is kept from other origins is kept from them as before.
  public func showing(_ names: [String]) -> Redaction {
    var redaction = self
    redaction.shown = (shown ?? []).union(names.map { SecretName($0) })
    return redaction
  }

  /// The same, hiding the values of secrets wherever they stand.
  public func hiding(secrets: [Secret]) -> Redaction {
    hiding(values: Set(secrets.compactMap { HiddenValue($0) }))
  }

  func hiding(values more: Set<HiddenValue>) -> Redaction {
    guard !more.isSubset(of: values?.values ?? []) else { return self }
    var redaction = self
    redaction.values = HiddenValues(more.union(values?.values ?? []))
    return redaction
  }

  /// Whether there is nothing to hide.
  package var hidesNothing: Bool { hidesNoNames && values == nil }

  /// Whether nothing is hidden for the name it stands under.
  var hidesNoNames: Bool {
    !hidesSecretNames && names.isEmpty
  }

  /// The text with each known value replaced by ``marker``, whatever the names in it.
  package func hidingValues(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    values?.hide(in: bytes, isCut: isCut) ?? bytes
  }

  package func hidingValues(_ text: String) -> String {
    guard let values else { return text }
    return String(decoding: values.hide(in: Array(text.utf8)), as: UTF8.self)
  }

  /// The same, also hiding what `request` has in fields that this hides by their names.
  ///
  /// They are the credentials of `Authorization` and its like, with the password within `Basic`; the values of cookies and other
  /// secret headers; and those of secret query items, form fields and JSON members. Values of less than eight bytes are hidden
  /// where no letter or digit stands beside them, those of less than four not at all, as they may be anybody's; values of more than
  /// 65,536 bytes and bodies of more than 8 MiB are not looked into. The secrets of
  /// the dispatch that sent the request are hidden too. Use it to print what belongs to a request but is not of its dispatch.
  public func hidingCredentials(of request: HTTPRequest) -> Redaction {
    guard !hidesNothing else { return self }
    let known = request.link.own?.values?.values ?? []
    return hiding(values: CredentialFinder.values(in: request, by: self).union(known))
  }

  /// The headers with secret values replaced by ``marker``.
  ///
  /// `Authorization` and `Proxy-Authorization` keep the name of a registered scheme (RFC 9110 section 11.4): `Bearer
  /// <redacted>`. In other values URLs and pairs are treated as in ``text(_:)``. Known values are hidden in names too.
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
      return SecretName(name).isAuthorization ? AuthorizationScheme.keeping(of: value) : Self.marker
    }
    if Self.urlHeaders.contains(where: { HTTPHeaders.same($0, name) }), !value.contains(" ") {
      return String(decoding: url(bytes: Array(value.utf8)[...], depth: 0), as: UTF8.self)
    }
    return String(decoding: text(bytes: Array(value.utf8), depth: 0), as: UTF8.self)
  }

  /// Whether the value of a header field is hidden, whatever it is.
  func hidesHeader(_ name: String) -> Bool { hides(name, in: .header) && !Self.isPolicy(name) }

  /// Whether the name only speaks of secrets, as `Access-Control-Allow-Credentials` does.
  private static func isPolicy(_ name: String) -> Bool { name.lowercased().hasPrefix("access-control-") }

  private static let urlHeaders = ["Location", "Content-Location", "Referer", "Origin"]

  /// The URL as text, with user info and the values of secret query items and path parameters replaced by ``marker``.
  ///
  /// Of a `data` URL the content is hidden. The fragment is treated like the query, as some servers hand out tokens there (RFC 6749 section 4.2.2), and so
  /// are URLs within values. Where the text does not parse, as with a password that has a `/` in it, all up to its last `@` is
  /// hidden, and no port is shown that is not digits. Known values are hidden in its path too. The text is worked on as it is, so that no URL is too odd.
  /// A ``marker`` that a URL has in percent-encoding, as that of a report that was read, is written out.
  public func url(_ url: URL) -> String { self.url(text: url.absoluteString) }

  /// The same of a text that may be no URL, such as the target of a request.
  package func url(text: String, depth: Int = 0) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8))
    let shown = hidesNoNames ? bytes : url(bytes: bytes[...], depth: depth)
    return PrintedURL.decodingMarkers(in: String(decoding: shown, as: UTF8.self))
  }

  /// A `data` URL up to the comma (RFC 2397): what follows is content, which has names of its own; `nil` for another one.
  private static func data(ofURL bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.prefix(5).map({ $0 | 0x20 }).elementsEqual("data:".utf8.map { $0 | 0x20 }),
      let comma = bytes.firstIndex(of: UInt8(ascii: ",")), comma < bytes.index(before: bytes.endIndex)
    else { return nil }
    return Array(bytes[...comma])
  }

  /// Goes by names only.
  func url(bytes: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    if hidesSecretNames, let data = Self.data(ofURL: bytes) { return data + Array(Self.marker.utf8) }
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

  /// Hides the values of path parameters with secret names, as in `/cart;jsessionid=…/items` (RFC 3986 section 3.3).
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

  /// Free text, such as the message of an error, with the secrets in it replaced by ``marker``.
  ///
  /// Hidden are the secrets of URLs as in ``url(_:)``; what follows `Bearer`, `Basic`, `DPoP` and `Negotiate`; the
  /// values of pairs with secret names (`token=…`, `token:…`, `"token": …`, also with escaped quotes); and the rest
  /// of a line after `Authorization:`, `Cookie:`, `Set-Cookie:` and other secret names with a hyphen in them.
  /// `token: …` with a blank is prose, and stays. Known values are hidden wherever they are. It takes time linear in the length of the text.
  public func text(_ text: String) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8))
    return String(decoding: hidesNoNames ? bytes : self.text(bytes: bytes, depth: 0), as: UTF8.self)
  }

  /// Goes by names only.
  func text(bytes: [UInt8], depth: Int) -> [UInt8] {
    bytes.withUnsafeBufferPointer { bytes in
      var redactor = TextRedactor(bytes: bytes, redaction: self, depth: depth)
      return redactor.redact()
    }
  }

  /// A body as text with its secrets replaced by ``marker``, or its length, `(1234 bytes)`, when it is no text.
  ///
  /// JSON and forms are worked on as they are written, so that a body that was cut short or is broken is redacted
  /// too; of a JSON member the whole value is hidden, also an object or an array. Other text is treated as in
  /// ``text(_:)``. Known values are hidden everywhere, also one whose end was cut off with the body's. Bytes that are not UTF-8, that have a NUL in them, or that are `multipart/*` are counted. A
  /// character cut in two at the end is dropped.
  ///
  /// - Parameters:
  ///   - body: the bytes, after content decoding.
  ///   - contentType: the `Content-Type`; JSON objects and arrays are known by their first character too.
  public func body(_ body: Data, contentType: String?) -> String {
    let media = contentType.flatMap { MediaType($0) }
    guard media?.type != "multipart", let text = Self.text(of: body) else { return "(\(body.count) bytes)" }
    return self.body(text: text, media)
  }

  /// The same of a body that was decoded, and is no document of parts.
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
    // As the body kept for an error is cut at a limit, its last character may have lost up to three bytes.
    let tail = body.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count + 1
    let lead = body.dropLast(tail - 1).last ?? 0
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1
    let isCut = lead <= 0xF4 && tail < length
    return String(data: isCut ? body.dropLast(tail) : body, encoding: .utf8)
  }

  /// Where a name stands.
  package enum Place {
    case header, queryItem, field
    /// In free text, which does not tell whether it is a header, a query item or a field.
    case text
  }

  /// Whether what stands under the name is hidden.
  ///
  /// A name with parts, such as `user[pin]` or `user.pin`, is judged as a whole and by its parts.
  package func hides(_ name: some StringProtocol, in place: Place) -> Bool {
    name.withBytes { hides(bytes: $0, in: place) }
  }

  func hides(name: ArraySlice<UInt8>, in place: Place) -> Bool {
    name.withUnsafeBufferPointer { hides(bytes: $0, in: place) }
  }

  /// The same of a name that may have percent-encoding in it.
  func hides(encoded name: UnsafeBufferPointer<UInt8>, in place: Place) -> Bool {
    guard name.contains(UInt8(ascii: "%")) else { return hides(bytes: name, in: place) }
    return hides(name: PercentEncoding.decode(Array(name)[...])[...], in: place)
  }

  /// Whether a header field is one of those that stay with their origin, printed or not.
  func keepsFromOthers(_ name: String) -> Bool {
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
    return isFound || names.have(place) { !$0.odd.isEmpty && Self.isOdd(name, in: $0.odd) }
  }

  /// Whether it was given as the name of a header field.
  func isHeaderName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    names.have(.header) { names in
      NameScan.finds(in: name, words: false, names.contains)
        || !names.odd.isEmpty && Self.isOdd(name, in: names.odd)
    }
  }

  /// Whether it is one of the names, or has it for a part, that are not ASCII letters and digits only.
  private static func isOdd(_ name: UnsafeBufferPointer<UInt8>, in names: Set<SecretName>) -> Bool {
    let name = String(decoding: name, as: UTF8.self)
    let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }
    return names.contains(SecretName(name)) || parts.contains { names.contains(SecretName($0)) }
  }

  /// How deep URLs within values of URLs are looked into; what is deeper is hidden.
  private static let depthLimit = 3

  /// The pairs of a query or a form (WHATWG URL section 5.1) with secret values replaced.
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

  /// A value that may be a URL or have pairs of its own; where those are percent-encoded it is hidden as a whole.
  private func inner(_ value: ArraySlice<UInt8>, depth: Int, into result: inout [UInt8]) {
    guard value.contains(where: Self.isTelling) else { return result.append(contentsOf: value) }
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

  /// Whether a value with the byte may have anything inside: pairs, a URL, or blanks after a scheme.
  private static func isTelling(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "+"), 0x20: true
    default: false
    }
  }
}

/// A dispatch, as what it has sent and received knows it.
protocol Redacting: AnyObject, Sendable {
  /// Hides its secrets.
  var redaction: Redaction { get }
  /// What was asked, as long as there is no URL.
  var endpoint: String? { get }
}

extension RedactionSource {
  /// What its dispatch hides; `nil` without a dispatch.
  var own: Redaction? { (dispatched as? any Redacting)?.redaction }

  /// What its dispatch asks, as long as there is no URL; `nil` without a dispatch.
  var endpoint: String? { (dispatched as? any Redacting)?.endpoint }

  /// ``Redaction/standard``, and the values that the dispatch hides.
  var redaction: Redaction {
    guard let values = own?.values else { return .standard }
    return .standard.hiding(values: values.values)
  }

  /// What a report of the request is printed by: the agent's redaction with what dispatch and request hide; the standard for
  /// a report that was read.
  func redaction(reporting request: HTTPRequest?) -> Redaction {
    let redaction = own ?? .standard
    return request.map(redaction.hidingCredentials) ?? redaction
  }
}

public import Foundation

/// A cookie, as a ``CookieStore`` has it (draft-ietf-httpbis-rfc6265bis section 5.7).
///
/// Its value is a secret: what is printed of it has its name and its attributes.
public struct Cookie: Sendable, Hashable {
  /// Whether it goes along where another site has led a request.
  public enum SameSite: String, Sendable, Hashable {
    /// Not where a redirect came from another site.
    case strict = "Strict"
    /// There only with a method that is safe.
    case lax = "Lax"
    /// Anywhere; such a cookie has to be ``Cookie/isSecure``.
    case none = "None"
  }

  /// The name; it may be empty where the value is not.
  public let name: String
  /// The value.
  ///
  /// Bytes of a server that are no UTF-8 are read as ISO-8859-1, and go back as they came.
  public let value: String
  /// The host or domain, in small letters, without a leading dot.
  public let domain: String
  /// Whether it goes to that host alone, and to none below it.
  public let isHostOnly: Bool
  /// The path that requests begin with to get it.
  public let path: String
  /// When it ends; `nil` for one that lasts as long as its store is not read from a file again.
  public let expires: Date?
  /// Whether it goes over https alone, or to this machine.
  public let isSecure: Bool
  /// Whether pages may not read it; means nothing here, and is kept for others who read the file.
  public let isHTTPOnly: Bool
  /// `nil` where the server did not say so, which is ``SameSite/lax``.
  public let sameSite: SameSite?
  /// Whether each character of the name and the value stands for a byte, as the bytes that came are no UTF-8.
  let isOfBytes: Bool

  /// Makes a cookie for ``CookieStore/set(_:)``; `nil` where no server could set such a one.
  ///
  /// That is: characters that no cookie may have, a path that does not begin with `/`, a domain with a leading dot or none, more than 4,096
  /// bytes, `SameSite=None` without `Secure`, and the rules of the prefixes `__Secure-` and `__Host-`.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - value: the value.
  ///   - domain: a host, or a domain if `isHostOnly` is `false`; a dot before it does not count.
  ///   - isHostOnly: whether it goes to that host alone; `true` by default.
  ///   - path: `/` by default.
  ///   - expires: `nil`, the default, for one that no file keeps.
  ///   - isSecure: `true` by default.
  ///   - isHTTPOnly: `false` by default.
  ///   - sameSite: `nil` by default.
  public init?(
    name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: Date? = nil, isSecure: Bool = true, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
  ) {
    self.init(
      name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires,
      isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, isOfBytes: false)
  }

  /// - Parameter isOfBytes: whether each character of the name and the value stands for a byte.
  init?(
    name: String, value: String, domain: String, isHostOnly: Bool, path: String, expires: Date?,
    isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite?, isOfBytes: Bool
  ) {
    let isClean = [name, value, domain, path].allSatisfy { text in
      text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") || $0 == 0x09 }
    }
    guard isClean, !name.utf8.contains(UInt8(ascii: "=")), path.hasPrefix("/"),
      expires?.timeIntervalSince1970.isFinite != false
    else { return nil }
    let domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    guard domain.hasPrefix("[") || HostPattern.isPattern(domain), !domain.hasPrefix("*"),
      !domain.contains("/")
    else { return nil }
    self.init(
      unjudged: name, value: value, domain: domain.lowercased(), isHostOnly: isHostOnly, path: path,
      expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, isOfBytes: isOfBytes)
    guard isAllowed(sayingPath: path) else { return nil }
  }

  /// For one that ``isAllowed(sayingPath:)`` judges after this.
  init(
    unjudged name: String, value: String, domain: String, isHostOnly: Bool, path: String, expires: Date?,
    isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite?, isOfBytes: Bool
  ) {
    (self.name, self.value, self.domain, self.path) = (name, value, domain, path)
    (self.isHostOnly, self.isSecure, self.isHTTPOnly) = (isHostOnly, isSecure, isHTTPOnly)
    (self.expires, self.sameSite) = (expires, sameSite)
    self.isOfBytes = isOfBytes && !(name.utf8.allSatisfy { $0 < 0x80 } && value.utf8.allSatisfy { $0 < 0x80 })
  }

  /// The most that name and value may have together, in bytes.
  static let sizeLimit = 4096

  /// Whether the rules for what a cookie says of itself hold.
  ///
  /// - Parameter path: what its server said, `nil` for nothing.
  func isAllowed(sayingPath path: String?) -> Bool {
    guard !name.isEmpty || !value.isEmpty, length(of: name) + length(of: value) <= Self.sizeLimit else {
      return false
    }
    if sameSite == SameSite.none, !isSecure { return false }
    // One without a name would be sent as if it had the prefix.
    let prefixed = (name.isEmpty ? value : name).lowercased()
    if prefixed.utf8.starts(with: "__secure-".utf8) { return isSecure && !name.isEmpty }
    if prefixed.utf8.starts(with: "__host-".utf8) {
      return isSecure && !name.isEmpty && isHostOnly && path == "/"
    }
    return true
  }

  /// What tells it from others: another one that has the same takes its place.
  struct Identity: Hashable {
    let name: String
    let domain: String
    let isHostOnly: Bool
    let path: String
  }

  var identity: Identity { Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path) }

  /// The name that its server reads: without one of its own, what stands before the first `=` of the value.
  var sentName: String {
    name.isEmpty ? String(Substring(value.utf8.prefix { $0 != UInt8(ascii: "=") })) : name
  }

  /// As it stands in the `Cookie` field.
  var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

  /// What goes over the wire, or into a file, for a piece of the cookie.
  func bytes(of text: String) -> [UInt8] {
    isOfBytes ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
  }

  private func length(of text: String) -> Int { isOfBytes ? text.unicodeScalars.count : text.utf8.count }

  /// Whether a line of Netscape's format can hold it: a tab would begin another column.
  var fitsColumns: Bool { ![name, value, domain, path].contains { $0.utf8.contains(0x09) } }

  func hasExpired(by now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie: PrintedByDescription {
  /// Such as `sid=<redacted>; Domain=example.com; Path=/; Secure`.
  public var description: String {
    var parts = ["\(name.printed)=\(Redaction.marker)", "Domain=\(domain.printed)", "Path=\(path.printed)"]
    if let expires { parts.append("Expires=\(HTTPDate.format(expires))") }
    if isSecure { parts.append("Secure") }
    if isHTTPOnly { parts.append("HttpOnly") }
    if let sameSite { parts.append("SameSite=\(sameSite.rawValue)") }
    return parts.joined(separator: "; ")
  }
}

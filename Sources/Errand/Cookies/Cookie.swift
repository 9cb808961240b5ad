public import Foundation

/// A cookie for a ``CookieStore`` (draft-ietf-httpbis-rfc6265bis section 5.7).
public struct Cookie: Sendable, Hashable {
  /// The rule for sending the cookie after a redirect from another site.
  public enum SameSite: String, Sendable, Hashable {
    /// Not sent after any redirect from another site.
    case strict = "Strict"
    /// Sent after a redirect from another site only if the method is safe, such as `GET`.
    case lax = "Lax"
    /// Sent after a redirect from another site; requires ``Cookie/isSecure``.
    case none = "None"
  }

  /// The name; may be empty if the value is not empty.
  public let name: String
  /// The value, read as ISO-8859-1 if the received text is not UTF-8.
  public let value: String
  /// The host or domain, in lower case, without a leading dot.
  public let domain: String
  /// True if the cookie is not sent to subdomains.
  public let isHostOnly: Bool
  /// The path; the cookie is also sent to all paths below.
  public let path: String
  /// The expiry; `nil` for a session cookie.
  public let expires: Date?
  /// True if the cookie requires https or a loopback host.
  public let isSecure: Bool
  /// True if scripts may not read the cookie.
  public let isHTTPOnly: Bool
  /// The `SameSite` attribute; `nil` counts as ``SameSite/lax``.
  public let sameSite: SameSite?
  /// True if `CurlTransport` sends name and value in ISO-8859-1 instead of UTF-8; false for ASCII.
  let isLatin1: Bool

  /// Creates a cookie; `nil` for an invalid cookie.
  ///
  /// Name and value together may have at most 4,096 bytes. The path must begin with `/`.
  public init?(
    name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: Date? = nil, isSecure: Bool = true, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
  ) {
    self.init(
      name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires,
      isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, isLatin1: false)
  }

  init?(
    name: String, value: String, domain: String, isHostOnly: Bool, path: String, expires: Date?,
    isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite?, isLatin1: Bool
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
      expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, isLatin1: isLatin1)
    guard isAllowed(sayingPath: path) else { return nil }
  }

  init(
    unjudged name: String, value: String, domain: String, isHostOnly: Bool, path: String, expires: Date?,
    isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite?, isLatin1: Bool
  ) {
    (self.name, self.value, self.domain, self.path) = (name, value, domain, path)
    (self.isHostOnly, self.isSecure, self.isHTTPOnly) = (isHostOnly, isSecure, isHTTPOnly)
    (self.expires, self.sameSite) = (expires, sameSite)
    self.isLatin1 = isLatin1 && !(name.utf8.allSatisfy { $0 < 0x80 } && value.utf8.allSatisfy { $0 < 0x80 })
  }

  static let sizeLimit = 4096

  func isAllowed(sayingPath path: String?) -> Bool {
    guard !name.isEmpty || !value.isEmpty, length(of: name) + length(of: value) <= Self.sizeLimit else {
      return false
    }
    if sameSite == SameSite.none, !isSecure { return false }
    // If a cookie has no name, a server may read the value as a name.
    let prefixed = (name.isEmpty ? value : name).lowercased()
    if prefixed.utf8.starts(with: "__secure-".utf8) { return isSecure && !name.isEmpty }
    if prefixed.utf8.starts(with: "__host-".utf8) {
      return isSecure && !name.isEmpty && isHostOnly && path == "/"
    }
    return true
  }

  struct Identity: Hashable {
    let name: String
    let domain: String
    let isHostOnly: Bool
    let path: String
  }

  var identity: Identity { Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path) }

  /// The name that a server may read; without a name, the value up to the first `=`.
  var sentName: String {
    name.isEmpty ? String(Substring(value.utf8.prefix { $0 != UInt8(ascii: "=") })) : name
  }

  var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

  func bytes(of text: String) -> [UInt8] {
    isLatin1 ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
  }

  private func length(of text: String) -> Int { isLatin1 ? text.unicodeScalars.count : text.utf8.count }

  /// True if name, value, domain and path have no tab, because tabs separate columns in Netscape's format.
  var fitsColumns: Bool { ![name, value, domain, path].contains { $0.utf8.contains(0x09) } }

  func hasExpired(by now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie: PrintedByDescription {
  /// The cookie without its value.
  public var description: String {
    let receiver = isHostOnly ? "host-only \(domain.printed)" : "Domain=\(domain.printed)"
    var parts = ["\(name.printed)=\(Redaction.marker)", receiver, "Path=\(path.printed)"]
    if let expires { parts.append("Expires=\(HTTPDate.format(expires))") }
    if isSecure { parts.append("Secure") }
    if isHTTPOnly { parts.append("HttpOnly") }
    if let sameSite { parts.append("SameSite=\(sameSite.rawValue)") }
    return parts.joined(separator: "; ")
  }
}

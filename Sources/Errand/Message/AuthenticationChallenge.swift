extension HTTPResponse {
  /// A challenge of a server, usually in a 401, or of a proxy in a 407 (RFC 9110 section 11.3).
  public struct Challenge: Sendable, Hashable {
    /// The scheme as sent, such as `Digest`.
    public let scheme: String
    /// The parameters by lowercase name.
    public let parameters: [String: String]
    /// The token that replaces the parameters, if any (RFC 9110 section 11.2).
    public let token68: String?
    /// A reference to the secrets that a printed challenge hides.
    ///
    /// A server may repeat secrets of the request.
    var link = RedactionSource()

    /// The parameter `realm`, which names a protection space (RFC 9110 section 11.5).
    public var realm: String? { parameters["realm"] }

    func isScheme(_ name: String) -> Bool { scheme.lowercased() == name }
  }
}

extension HTTPResponse {
  /// The challenges of the response, at most 100.
  ///
  /// The challenges come from `Proxy-Authenticate` for a 407, and otherwise from `WWW-Authenticate`.
  public var challenges: [HTTPResponse.Challenge] {
    var found: [HTTPResponse.Challenge] = []
    for field in headers.values(for: status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate") {
      var parser = ChallengeParser(field)
      found += parser.all(atMost: Self.challengeLimit - found.count)
    }
    for index in found.indices { found[index].link = link }
    return found
  }

  private static let challengeLimit = 100
}

private struct ChallengeParser {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func all(atMost limit: Int) -> [HTTPResponse.Challenge] {
    var challenges: [HTTPResponse.Challenge] = []
    while challenges.count < limit {
      skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
      guard let scheme = token() else { return challenges }
      let (parameters, token68, isWhole) = details()
      challenges.append(
        HTTPResponse.Challenge(scheme: scheme, parameters: parameters, token68: token68))
      guard isWhole else { return challenges }
    }
    return challenges
  }

  /// Reads the parameters or the token of a challenge.
  ///
  /// `isWhole` is false after a syntax error.
  private mutating func details() -> ([String: String], String?, isWhole: Bool) {
    var parameters: [String: String] = [:]
    let start = index
    skipBlanks()
    guard index > start else { return (parameters, nil, index == bytes.count || peek == UInt8(ascii: ",")) }
    if let token = token68() { return (parameters, token, true) }
    while true {
      skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
      let place = index
      guard let name = token() else { return (parameters, nil, index == bytes.count) }
      skipBlanks()
      guard peek == UInt8(ascii: "=") else {
        // Without `=`, the token is the scheme of the next challenge.
        index = place
        return (parameters, nil, true)
      }
      index += 1
      skipBlanks()
      guard let value = peek == UInt8(ascii: "\"") ? quoted() : token() else {
        return (parameters, nil, false)
      }
      if parameters[name.lowercased()] == nil { parameters[name.lowercased()] = value }
    }
  }

  /// Reads a token68 (RFC 9110 section 11.2).
  private mutating func token68() -> String? {
    let start = index
    skip { ASCII.isAlphanumeric($0) || "-._~+/".utf8.contains($0) }
    let length = index - start
    skip { $0 == UInt8(ascii: "=") }
    let end = index
    skipBlanks()
    guard length > 0, peek == nil || peek == UInt8(ascii: ",") else {
      index = start
      return nil
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func token() -> String? {
    let start = index
    skip { ASCII.isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
  }

  private mutating func quoted() -> String? {
    var text: [UInt8] = []
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), index < bytes.count {
        text.append(bytes[index])
        index += 1
      } else {
        text.append(byte)
      }
    }
    return nil
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() { skip { $0 == 0x20 || $0 == 0x09 } }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
  }
}

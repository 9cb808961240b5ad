import Foundation

extension URLParts {
  /// The URL, judged and encoded, with pieces of a query appended.
  func url(adding pieces: [some StringProtocol]) throws(Refusal) -> URL {
    try url(
      userInfo: userInfo, path: path, query: Self.joined([query] + pieces.map { Substring($0) }))
  }

  /// The URL, judged and encoded, with another user info and path, and a query that is encoded already.
  func url(userInfo: Substring?, path: String, query: String) throws(Refusal) -> URL {
    let scheme = try servedScheme()
    var result = "\(scheme)://"
    if let userInfo, !userInfo.isEmpty {
      result += PercentEncoding.repair(userInfo, keeping: Self.isUserInfoByte) + "@"
    }
    result += try servedHost()
    if let port = try servedPort() { result += ":\(port)" }
    result += PercentEncoding.repair(path, keeping: Self.isPathByte)
    result += query
    guard let url = URL(string: result), url.host?.isEmpty == false else {
      throw Refusal("the URL \(Self.shown(text)) cannot be read", kind: .invalidURL)
    }
    return url
  }

  /// The query as it stands there, encoded as far as it must be, behind its `?`; empty where there is no `?`.
  var writtenQuery: String {
    let hasQuery = Self.withoutFragment(text).utf8.contains(0x3F)
    return hasQuery ? "?" + PercentEncoding.repair(query, keeping: Self.isQueryByte) : ""
  }

  private func servedScheme() throws(Refusal) -> String {
    let lowercased = scheme.lowercased()
    guard lowercased == "http" || lowercased == "https" else {
      throw Refusal(
        "the scheme \"\(scheme)\" of \(Self.shown(text)) is not served; http, https and data are",
        kind: .invalidURL)
    }
    return lowercased
  }

  /// An empty port is the scheme's own (RFC 3986 section 3.2.3).
  private func servedPort() throws(Refusal) -> UInt16? {
    guard let port, !port.isEmpty else { return nil }
    guard port.utf8.allSatisfy(ASCII.isDigit) else {
      throw Refusal(
        "the port of \(Self.shown(text)) is not digits; encode a / ? or # of a password as %2F, %3F or %23",
        kind: .invalidURL)
    }
    guard let number = UInt16(port), number > 0 else {
      throw Refusal(
        "the port \(String(port).debugDescription) of \(Self.shown(text)) is not in 1...65535",
        kind: .invalidURL)
    }
    return number
  }

  private func servedHost() throws(Refusal) -> String {
    guard !host.isEmpty else {
      throw Refusal("the URL \(Self.shown(text)) has no host", kind: .invalidURL)
    }
    if host.utf8.first == 0x5B { return try servedAddress() }
    let bytes = PercentEncoding.decode(host)
    guard bytes.allSatisfy({ $0 >= 0x80 || Self.isHostByte($0) }) else { throw badHost }
    let decoded = String(decoding: bytes, as: UTF8.self)
    guard decoded.utf8.elementsEqual(bytes) else { throw badHost }
    return bytes.contains { $0 >= 0x80 } ? try asciiHost(decoded) : decoded
  }

  /// An international name in its ASCII form (RFC 5891), as far as Foundation knows it.
  private func asciiHost(_ name: String) throws(Refusal) -> String {
    guard let ascii = URL(string: "http://\(name)/")?.host, !ascii.isEmpty,
      ascii.utf8.allSatisfy(Self.isHostByte)
    else { throw badHost }
    return ascii
  }

  /// `[::1]`, also with the zone of RFC 6874: `[fe80::1%25eth0]`.
  private func servedAddress() throws(Refusal) -> String {
    let inner = Substring(host.utf8.dropFirst().dropLast())
    let address = inner.utf8.prefix { $0 != 0x25 }
    let zone = inner.utf8[address.endIndex...]
    let isZone =
      zone.isEmpty
      || (zone.starts(with: "%25".utf8) && zone.count > 3
        && zone.dropFirst(3).allSatisfy(PercentEncoding.isUnreserved))
    guard host.utf8.last == 0x5D, isZone, address.contains(0x3A), address.allSatisfy(Self.isAddressByte)
    else { throw badHost }
    return String(host)
  }

  private var badHost: Refusal {
    Refusal(
      "the host \(isHostShown ? String(host).debugDescription : Redaction.marker) of \(Self.shown(text)) has a character that may not stand in it",
      kind: .invalidURL)
  }

  /// `?` and the pieces that are not empty; an `&` at the end of one is not doubled.
  static func joined(_ pieces: [Substring]) -> String {
    guard !pieces.isEmpty else { return "" }
    let trimmed = pieces.map { piece in
      let start = piece.utf8.drop { $0 == 0x26 }
      let end = start.lastIndex { $0 != 0x26 }.map { start.index(after: $0) } ?? start.startIndex
      return PercentEncoding.repair(Substring(start[..<end]), keeping: isQueryByte)
    }
    let kept = trimmed.filter { !$0.isEmpty }
    return kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
  }
}

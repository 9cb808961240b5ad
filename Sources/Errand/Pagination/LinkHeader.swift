import Foundation

/// The links of a response (RFC 8288 section 3).
struct LinkHeader {
  struct Link {
    let target: String
    let relations: [String]
    let anchor: String?
  }

  let links: [Link]

  init(_ headers: HTTPHeaders) {
    links = headers.values(for: "Link").flatMap { value in
      var scanner = LinkScanner(value)
      var links: [Link] = []
      while let link = scanner.link() { links.append(link) }
      return links
    }
  }

  func target(of relation: String, from url: URL) -> String? {
    let relation = relation.lowercased()
    return links.first { $0.relations.contains(relation) && $0.isLink(of: url) }?.target
  }
}

extension LinkHeader.Link {
  /// Returns true without an anchor, or if the anchor is `url` (RFC 8288 section 3.2).
  fileprivate func isLink(of url: URL) -> Bool {
    guard let anchor else { return true }
    guard !anchor.utf8.contains(0x23), let base = URLParts(absolute: url.absoluteString) else { return false }
    guard let context = try? base.resolve(anchor), let own = try? base.resolve("") else { return false }
    return context == own
  }
}

struct LinkScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func link() -> LinkHeader.Link? {
    skip { ASCII.isWhitespace($0) || $0 == UInt8(ascii: ",") }
    guard take("<") else { return nil }
    let target = text(until: { $0 == UInt8(ascii: ">") })
    guard take(">") else { return nil }
    let parameters = parameters()
    skip { $0 != UInt8(ascii: ",") }
    let relations = parameters.first { $0.name == "rel" }?.value ?? ""
    return LinkHeader.Link(
      target: target,
      relations: relations.lowercased().split(whereSeparator: \.isWhitespace).map(String.init),
      anchor: parameters.first { $0.name == "anchor" }?.value)
  }

  private mutating func parameters() -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    while true {
      skip(ASCII.isWhitespace)
      guard take(";") else { return parameters }
      skip(ASCII.isWhitespace)
      let name = text { ASCII.isWhitespace($0) || [0x3D, 0x3B, 0x2C].contains($0) }
      skip(ASCII.isWhitespace)
      guard take("=") else { continue }
      skip(ASCII.isWhitespace)
      parameters.append((name.lowercased(), value()))
    }
  }

  /// Reads a quoted string (RFC 9110 section 5.6.4), or the text before the next `;` or `,`.
  private mutating func value() -> String {
    guard take("\"") else { return text { [0x3B, 0x2C].contains($0) } }
    var value: [UInt8] = []
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), let quoted = next {
        value.append(quoted)
        position += 1
      } else {
        value.append(byte)
      }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte = next, isSkipped(byte) { position += 1 }
  }

  private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
    let start = position
    skip { !isEnd($0) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

import Errand

/// A name and a value of a HAR file: a header field, a query item or a form field.
struct HARPair: Codable, Sendable {
  var name: String
  var value: String

  init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  private enum CodingKeys: CodingKey { case name, value }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = fields.value(.name, or: "")
    value = fields.value(.value, or: "")
  }
}

extension HTTPHeaders {
  /// The fields as a browser wrote them too: without the pseudo-fields of HTTP/2 (RFC 9113 section 8.3), and fields
  /// that were joined by line breaks apart again.
  init(_ pairs: [HARPair]) {
    self.init()
    for pair in pairs where !pair.name.isEmpty && !pair.name.hasPrefix(":") {
      for value in Self.lines(of: pair.value) { add(pair.name, value) }
      if pair.value.isEmpty { add(pair.name, "") }
    }
  }

  /// By bytes, as a value may have other characters that end a line, such as U+0085.
  private static func lines(of value: String) -> [String] {
    let lines = value.utf8.split(separator: UInt8(ascii: "\n"))
    return lines.map { line in
      let isWindows = line.last == UInt8(ascii: "\r") && line.endIndex < value.utf8.endIndex
      return String(Substring(isWindows ? line.dropLast() : line))
    }
  }

  var pairs: [HARPair] { fields.map { HARPair(name: $0.name, value: $0.value) } }
}

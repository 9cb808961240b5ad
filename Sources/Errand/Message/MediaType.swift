/// A parsed media type, as in `Content-Type` (RFC 9110 section 8.3.1).
package struct MediaType: Sendable, Hashable, CustomStringConvertible {
  struct Parameter: Sendable, Hashable {
    var name: String
    var value: String
  }

  var type: String
  var subtype: String
  var parameters: [Parameter] = []

  package init?(_ text: String) {
    var scanner = MediaTypeScanner(text)
    guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token(), scanner.endsPart()
    else { return nil }
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    while scanner.skipToParameter() {
      guard let name = scanner.token(), scanner.take("="), let value = scanner.value() else { continue }
      parameters.append(Parameter(name: name.lowercased(), value: value))
    }
  }

  init?(of headers: HTTPHeaders) {
    guard let text = headers.values(for: "Content-Type").last else { return nil }
    self.init(text)
  }

  /// Returns true if the text begins with `multipart/`, even if the remaining text is invalid.
  package static func isMultipart(_ text: String?) -> Bool {
    text?.drop { $0 == " " || $0 == "\t" }.lowercased().hasPrefix("multipart/") ?? false
  }

  package subscript(parameter: String) -> String? {
    parameters.first { $0.name == parameter.lowercased() }?.value
  }

  package var description: String { "\(type)/\(subtype)" }

  /// True for the subtype `json`, and for the suffix `+json` (RFC 6839).
  var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }

  var isForm: Bool { description == "application/x-www-form-urlencoded" }
}

/// A range of an `Accept` field, such as `text/*` (RFC 9110 section 12.5.1).
struct MediaRange: Sendable, Hashable, CustomStringConvertible {
  let description: String
  private let type: String
  private let subtype: String

  /// Creates a range.
  ///
  /// A range made from an invalid text accepts no media type.
  init(_ text: String) {
    let range = MediaType(text)
    type = range?.type ?? text
    subtype = range?.subtype ?? ""
    description = range?.description ?? text
  }

  static func list(_ accept: String) -> [MediaRange] {
    accept.split(separator: ",")
      .filter { part in
        let weight = MediaType(String(part))?["q"].flatMap(Double.init)
        return weight != 0 && part.contains { $0 != " " && $0 != "\t" }
      }
      .map { MediaRange(String($0)) }
  }

  var isAny: Bool { type == "*" && subtype == "*" }

  func accepts(_ media: MediaType) -> Bool {
    guard type == "*" || type == media.type else { return false }
    if subtype == "*" || subtype == media.subtype { return true }
    return subtype.hasPrefix("*+") && media.subtype.hasSuffix(subtype.dropFirst())
  }
}

struct MediaTypeScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    skipBlanks()
  }

  mutating func token() -> String? {
    let start = position
    while let byte = next, HTTPHeaders.isTokenByte(byte) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func endsPart() -> Bool {
    skipBlanks()
    return next == nil || next == UInt8(ascii: ";")
  }

  mutating func skipToParameter() -> Bool {
    while let byte = next, byte != UInt8(ascii: ";") { position += 1 }
    guard take(";") else { return false }
    skipBlanks()
    return true
  }

  /// Reads a token or quoted string (RFC 9110 section 5.6).
  ///
  /// Returns `nil` without a value, or for an unclosed quote.
  mutating func value() -> String? {
    guard take("\"") else { return token() }
    var value: [UInt8] = []
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), let quoted = next {
        value.append(quoted)
        position += 1
      } else {
        value.append(byte)
      }
    }
    return nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while next == 0x20 || next == 0x09 { position += 1 }
  }
}

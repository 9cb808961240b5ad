/// A media type: type, subtype and parameters (RFC 9110 section 8.3.1).
package struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// One `name=value`.
  struct Parameter: Sendable, Hashable {
    /// In lower case.
    var name: String
    /// Without its quotes.
    var value: String
  }

  /// In lower case, such as `text`.
  var type: String
  /// In lower case, such as `html`.
  var subtype: String
  /// In the order they were written.
  var parameters: [Parameter] = []

  /// Reads a `Content-Type`, or `nil` when it does not begin with `type/subtype`; a broken parameter is skipped.
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

  /// The media type of a message, or `nil` when none can be read; the last of several fields counts.
  init?(of headers: HTTPHeaders) {
    guard let text = headers.values(for: "Content-Type").last else { return nil }
    self.init(text)
  }

  /// The value of a parameter, its name in any case; the first one counts.
  package subscript(parameter: String) -> String? {
    parameters.first { $0.name == parameter.lowercased() }?.value
  }

  /// `type/subtype`, without parameters.
  package var description: String { "\(type)/\(subtype)" }

  /// Whether the content is JSON: `application/json`, `text/json`, or a type with the suffix `+json` (RFC 6839).
  var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }

  /// Whether the content is a form without parts.
  var isForm: Bool { description == "application/x-www-form-urlencoded" }
}

/// What media types are accepted: `application/json`, `text/*`, `application/*+json` or `*/*`
/// (RFC 9110 section 12.5.1).
struct MediaRange: Sendable, Hashable, CustomStringConvertible {
  /// As it was written, without parameters.
  let description: String
  private let type: String
  private let subtype: String

  /// A range; text that is none accepts only a media type written just like it, which is none.
  init(_ text: String) {
    let range = MediaType(text)
    type = range?.type ?? text
    subtype = range?.subtype ?? ""
    description = range?.description ?? text
  }

  /// The ranges of an `Accept`, without those of weight 0.
  static func list(_ accept: String) -> [MediaRange] {
    accept.split(separator: ",")
      .filter { part in
        let weight = MediaType(String(part))?["q"].flatMap(Double.init)
        return weight != 0 && part.contains { $0 != " " && $0 != "\t" }
      }
      .map { MediaRange(String($0)) }
  }

  /// Whether it is `*/*`, which accepts what has no media type, too.
  var isAny: Bool { type == "*" && subtype == "*" }

  /// Whether it accepts the media type, whatever its parameters.
  func accepts(_ media: MediaType) -> Bool {
    guard type == "*" || type == media.type else { return false }
    if subtype == "*" || subtype == media.subtype { return true }
    return subtype.hasPrefix("*+") && media.subtype.hasSuffix(subtype.dropFirst())
  }
}

/// Reads the parts of a media type one after another; never goes back, so it takes linear time.
struct MediaTypeScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    skipBlanks()
  }

  /// A token (RFC 9110 section 5.6.2), if one is next.
  mutating func token() -> String? {
    let start = position
    while let byte = next, HTTPHeaders.isTokenByte(byte) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Goes past the character, if it is next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Goes past blanks; says whether the text or a part of it ends here.
  mutating func endsPart() -> Bool {
    skipBlanks()
    return next == nil || next == UInt8(ascii: ";")
  }

  /// Goes past the next `;`, whatever is before it; `false` at the end of the text.
  mutating func skipToParameter() -> Bool {
    while let byte = next, byte != UInt8(ascii: ";") { position += 1 }
    guard take(";") else { return false }
    skipBlanks()
    return true
  }

  /// A token or a quoted string (RFC 9110 section 5.6.4); `nil` when neither is next or the quote is not closed.
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

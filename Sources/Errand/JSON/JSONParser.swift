import Foundation

/// A strict reader of JSON texts (RFC 8259) that keeps every digit of a number.
///
/// A byte order mark is skipped; a text in UTF-16 or UTF-32 is read as `JSONDecoder` reads it. Half of a surrogate pair becomes U+FFFD, as the grammar allows it. Containers that
/// are open are kept in an array, not on the stack, which nested input could exhaust.
struct JSONParser {
  /// Why a text is not JSON.
  struct Failure: Error, Hashable {
    /// A clause: `unexpected 'x' at offset 3`.
    var reason: String
  }

  /// An array, or an object where there are members, that is not closed yet.
  private struct Container {
    var elements: [JSONValue] = []
    var members: [String: JSONValue]?
    var name = ""
  }

  let bytes: [UInt8]
  var position = 0
  private var open: [Container] = []

  /// The value of the whole text; throws ``Failure``.
  static func parse(_ data: Data) throws(Failure) -> JSONValue {
    guard let bytes = JSONText.utf8(data) else { throw Failure(reason: "it is not valid in its encoding") }
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value()
    parser.skipWhitespace()
    guard parser.next == nil else { throw parser.unexpected }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func value() throws(Failure) -> JSONValue {
    while true {
      skipWhitespace()
      guard var value = try scalarOrOpening() else { continue }
      while true {
        if open.isEmpty { return value }
        guard let closed = try add(value) else { break }
        value = closed
      }
    }
  }

  /// The scalar or empty container that is next; `nil` when a container was opened instead.
  private mutating func scalarOrOpening() throws(Failure) -> JSONValue? {
    switch next {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return try opening()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func opening() throws(Failure) -> JSONValue? {
    guard open.count < JSONDepth.limit else {
      throw Failure(reason: "it is nested deeper than \(JSONDepth.limit) levels")
    }
    if take("[") {
      skipWhitespace()
      if take("]") { return .array([]) }
      open.append(Container())
    } else {
      position += 1
      skipWhitespace()
      if take("}") { return .object([:]) }
      open.append(Container(members: [:], name: try name()))
    }
    return nil
  }

  /// Puts a value into the innermost container, and gives the container when that closes it.
  private mutating func add(_ value: JSONValue) throws(Failure) -> JSONValue? {
    let last = open.count - 1
    skipWhitespace()
    if open[last].members == nil {
      open[last].elements.append(value)
      if take("]") { return .array(open.removeLast().elements) }
      guard take(",") else { throw unexpected }
    } else {
      let name = open[last].name
      // The one that a decoder finds, so that what was judged is what is decoded.
      if open[last].members?[name] == nil { open[last].members?[name] = value }
      if take("}") { return .object(open.removeLast().members ?? [:]) }
      guard take(",") else { throw unexpected }
      skipWhitespace()
      open[last].name = try self.name()
    }
    return nil
  }

  /// The name of a member and its colon.
  private mutating func name() throws(Failure) -> String {
    let name = try string()
    skipWhitespace()
    guard take(":") else { throw unexpected }
    return name
  }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Why it stops at the next byte.
  var unexpected: Failure {
    guard let next else { return Failure(reason: "it ends too early") }
    let shown =
      (0x21...0x7E).contains(next) ? "'\(Unicode.Scalar(next))'" : "byte 0x\(String(next, radix: 16))"
    return Failure(reason: "unexpected \(shown) at offset \(position)")
  }

  private mutating func skipWhitespace() {
    while let byte = next, ASCII.isWhitespace(byte) { position += 1 }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func literal(_ text: String, _ value: JSONValue) throws(Failure) -> JSONValue {
    for byte in text.utf8 {
      guard next == byte else { throw unexpected }
      position += 1
    }
    return value
  }

  /// A number (RFC 8259 section 6).
  mutating func number() throws(Failure) -> JSONValue.Number {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return JSONValue.Number(text: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// A string (RFC 8259 section 7), its quotes included.
  mutating func string() throws(Failure) -> String {
    guard take("\"") else { throw unexpected }
    let start = position
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw unexpected }
      position += 1
      if byte == UInt8(ascii: "\\") { try escape() }
    }
    let inside = bytes[start..<position]
    guard take("\"") else { throw unexpected }
    guard String(bytes: inside, encoding: .utf8) != nil else {
      throw Failure(reason: "the string at offset \(start - 1) is not valid UTF-8")
    }
    return JSONEscapes.unescape(inside)
  }

  private mutating func escape() throws(Failure) {
    guard let byte = next, "\"\\/bfnrtu".utf8.contains(byte) else { throw unexpected }
    position += 1
    guard byte == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      guard let digit = next, ASCII.hexDigit(digit) != nil else { throw unexpected }
      position += 1
    }
  }

  private mutating func digits() throws(Failure) {
    guard let first = next, ASCII.isDigit(first) else { throw unexpected }
    while let byte = next, ASCII.isDigit(byte) { position += 1 }
  }
}

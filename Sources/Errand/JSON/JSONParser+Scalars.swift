import Foundation

extension JSONParser {
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Why it stops at the next byte.
  var unexpected: Failure {
    guard let next else { return Failure(reason: "it ends too early") }
    let shown =
      (0x21...0x7E).contains(next) ? "'\(Unicode.Scalar(next))'" : "byte 0x\(String(next, radix: 16))"
    return Failure(reason: "unexpected \(shown) at offset \(position)")
  }

  mutating func skipWhitespace() {
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

import Foundation

package struct JSONSyntaxError: Error, Hashable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    case unexpected(UInt8)
    case endsTooEarly
    case openString
    case shortEscape
    case tooDeep
    case stack
    case tooLong
    case encoding
    case number
    case string
  }

  package let reason: Reason
  package let position: JSONPosition?

  package init(_ reason: Reason, at position: JSONPosition?) {
    (self.reason, self.position) = (reason, position)
  }

  init(_ fault: TapeFault, in text: Data) {
    let position = text.withUnsafeBytes {
      JSONPosition(offset: fault.offset, in: $0.bindMemory(to: UInt8.self))
    }
    self.init(fault.reason, at: position)
  }

  var isLimit: Bool { reason == .tooDeep || reason == .stack || reason == .tooLong }

  package var description: String {
    MessageText.text {
      if isLimit { $0 += "the JSON " }
      write(into: &$0)
    }
  }

  var sentence: String {
    MessageText.text {
      $0 += isLimit ? "the JSON " : "The given data was not valid JSON: "
      write(into: &$0)
      if !isLimit { $0 += "." }
    }
  }

  private func write(into text: inout MessageText) {
    switch reason {
    case .unexpected(let byte):
      text += "unexpected "
      text.show(byte)
    case .endsTooEarly: text += "the text ends too early"
    case .openString: text += "a string does not end"
    case .shortEscape: text += "an escape sequence is incomplete"
    case .encoding: text += "the text is not valid in its encoding"
    case .number: text += "a number is malformed"
    case .string:
      text += "a string has an invalid escape sequence, a control character or invalid UTF-8"
    case .tooDeep:
      text += "is nested deeper than "
      text += TapeBuilder.depthLimit
      text += " levels"
      return
    case .stack:
      text += "is nested too deeply for the stack of this thread"
      return
    case .tooLong:
      text += "has more than "
      text += JSONDocument.sizeLimit
      text += " bytes"
      return
    }
    guard let position else { return }
    text += " at "
    position.write(into: &text)
  }
}

struct TapeFault: Error {
  let reason: JSONSyntaxError.Reason
  let offset: Int

  init(_ reason: JSONSyntaxError.Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }

  static func unexpected(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> TapeFault {
    offset < bytes.count
      ? TapeFault(.unexpected(bytes[offset]), at: offset) : TapeFault(.endsTooEarly, at: bytes.count)
  }

  /// Converts a fault in the parsed text to a fault in `text`.
  ///
  /// The parser read `text` between two added braces.
  func ofMembers(_ text: Data) -> TapeFault {
    guard offset > text.count, case .unexpected = reason else {
      return TapeFault(reason, at: min(offset - 1, text.count))
    }
    // A closing brace at the end of `text` has usually closed the added opening brace, and is then reported.
    // The parser then stopped at the added closing brace.
    let last = text.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let last, text[last] == UInt8(ascii: "}") else { return TapeFault(.endsTooEarly, at: text.count) }
    return TapeFault(.unexpected(UInt8(ascii: "}")), at: last - text.startIndex)
  }
}

struct MessageText {
  private static let size = 160

  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0

  static func text(_ body: (inout MessageText) -> Void) -> String {
    String(unsafeUninitializedCapacity: size) { buffer in
      var text = MessageText(buffer: buffer)
      body(&text)
      return text.count
    }
  }

  private init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  private mutating func append(_ byte: UInt8) {
    guard count < Self.size else { return }
    buffer[count] = byte
    count += 1
  }

  static func += (text: inout MessageText, part: StaticString) {
    part.withUTF8Buffer { for byte in $0 { text.append(byte) } }
  }

  static func += (text: inout MessageText, number: Int) {
    if number >= 10 { text += number / 10 }
    text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: max(0, number) % 10))
  }

  mutating func show(_ byte: UInt8) {
    if 0x21...0x7E ~= byte {
      append(UInt8(ascii: "'"))
      append(byte)
      append(UInt8(ascii: "'"))
    } else {
      self += "byte 0x"
      for digit in byte < 16 ? [byte] : [byte >> 4, byte & 15] {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}

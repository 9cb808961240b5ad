import Foundation

/// A place in a JSON text.
public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1; lines end with a line feed, or with a carriage return without one.
  public let line: Int
  /// The column in bytes of UTF-8, from 1.
  public let column: Int
  /// Bytes before it, from 0.
  public let offset: Int

  /// `line 3, column 14`.
  public var description: String {
    var text = ""
    write(into: &text)
    return text
  }

  func write(into text: inout String) {
    text += "line "
    text += String(line)
    text += ", column "
    text += String(column)
  }

  init(offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    var (line, start, index) = (1, 0, 0)
    let offset = min(offset, bytes.count)
    while index < offset {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A || byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A) {
        (line, start) = (line + 1, index)
      }
    }
    (self.line, self.column, self.offset) = (line, offset - start + 1, offset)
  }
}

/// Why no tape can be made of a text.
struct TapeFault: Error {
  /// A clause: `unexpected 'x'`.
  let reason: String
  /// Bytes before the place.
  let offset: Int
  /// Whether it may be JSON, but there is too much of it.
  var isLimit = false

  static func unexpected(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> TapeFault {
    guard offset < bytes.count else { return TapeFault(reason: "it ends too early", offset: bytes.count) }
    let byte = bytes[offset]
    let shown =
      (0x21...0x7E).contains(byte) ? "'\(Unicode.Scalar(byte))'" : "byte 0x\(String(byte, radix: 16))"
    return TapeFault(reason: "unexpected \(shown)", offset: offset)
  }
}

/// Why a text is not JSON, and where it stops being it.
package struct JSONSyntaxError: Error, Hashable, CustomStringConvertible {
  /// A clause: `unexpected 'x'`.
  package let reason: String
  /// Where; `nil` where it is the text as a whole.
  package let position: JSONPosition?
  /// Whether it may be JSON, but there is too much of it.
  package let isLimit: Bool

  package init(reason: String, position: JSONPosition?, isLimit: Bool = false) {
    (self.reason, self.position, self.isLimit) = (reason, position, isLimit)
  }

  init(_ fault: TapeFault, in text: Data) {
    let position = text.withUnsafeBytes {
      JSONPosition(offset: fault.offset, in: $0.bindMemory(to: UInt8.self))
    }
    self.init(reason: fault.reason, position: position, isLimit: fault.isLimit)
  }

  static let encoding = JSONSyntaxError(reason: "it is not valid in its encoding", position: nil)

  /// `unexpected 'x' at line 1, column 4`.
  package var description: String {
    var text = ""
    write(into: &text)
    return text
  }

  func write(into text: inout String) {
    text += reason
    guard let position else { return }
    text += " at "
    position.write(into: &text)
  }
}

/// A position in a JSON text, counted in bytes of UTF-8 after the byte order mark.
public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column in bytes of UTF-8, from 1.
  public let column: Int
  /// The number of bytes before the position.
  public let offset: Int

  /// A text such as `line 3, column 14`.
  public var description: String { MessageText.text { write(into: &$0) } }

  func write(into text: inout MessageText) {
    text += "line "
    text += line
    text += ", column "
    text += column
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

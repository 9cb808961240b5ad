import Foundation

// Unchecked: nothing changes after `init`, and the memory behind the pointers is only read.
final class JSONDocument: @unchecked Sendable {
  /// The maximum length in bytes, because a position on the tape has 28 bits.
  static let sizeLimit = 1 << 28 - 2

  /// A working copy of the text, followed by 24 zero bytes.
  let bytes: UnsafePointer<UInt8>
  let count: Int
  let tape: UnsafePointer<UInt32>
  /// The tape index of a null that the decoder reads in place of a missing member.
  let nullIndex: Int
  let settings: DecodingSettings
  /// The number of bytes added before the given text: 0 or 1.
  let prefixLength: Int
  /// The given text, if the tape builder converts names in the copy; otherwise `nil`.
  private let original: Data?

  /// Builds the tape of a UTF-8 text without a byte order mark.
  ///
  /// `asMembers` adds braces around the text.
  init(_ text: Data, settings: DecodingSettings, asMembers: Bool = false) throws(TapeFault) {
    prefixLength = asMembers ? 1 : 0
    count = text.count + 2 * prefixLength
    guard count <= Self.sizeLimit else {
      throw TapeFault(.tooLong, at: Self.sizeLimit)
    }
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 24)
    text.copyBytes(to: copy + prefixLength, count: text.count)
    (copy + count).initialize(repeating: 0, count: 24)
    if asMembers { (copy[0], copy[count - 1]) = (UInt8(ascii: "{"), UInt8(ascii: "}")) }
    var options = TapeBuilder.Options(dropsNulls: settings.dropsNulls)
    switch settings.names {
    case .asWritten: break
    case .snakeCase: options.convertsNames = true
    case .custom: options.indexesObjects = true
    }
    do {
      let (words, used) = try TapeBuilder.tape(of: copy, count: count, options)
      (bytes, tape, nullIndex) = (UnsafePointer(copy), UnsafePointer(words), used - 1)
    } catch {
      copy.deallocate()
      throw asMembers ? error.ofMembers(text) : error
    }
    self.settings = settings
    original = options.convertsNames ? text : nil
  }

  deinit {
    bytes.deallocate()
    free(UnsafeMutablePointer(mutating: tape))
  }

  var isContainer: Bool { kind(0) >= TapeWord.array }

  @inline(__always) func kind(_ index: Int) -> UInt32 { TapeWord.kind(tape[index]) }

  func text(_ index: Int, mendsSurrogates: Bool = false) -> String? {
    StringText.string(
      bytes + TapeWord.place(tape[index]), count: Int(tape[index + 1]), kind: kind(index),
      mendsSurrogates: mendsSurrogates)
  }

  /// Returns a string or a name as written in the text, without key conversion; `nil` if malformed.
  func writtenName(_ index: Int, mendsSurrogates: Bool = false) -> String? {
    guard let original, kind(index) == TapeWord.plain else {
      return text(index, mendsSurrogates: mendsSurrogates)
    }
    // The tape has the length of the converted name. The written name ends at the quote.
    let start = original.startIndex + TapeWord.place(tape[index]) - prefixLength
    let name = original[start...].prefix { $0 != 0x22 }
    return String(decoding: name, as: UTF8.self)
  }

  func name(_ index: Int, at path: @autoclosure () -> [any CodingKey]) -> String? {
    guard let name = text(index) else { return nil }
    if settings.keepsNames || original != nil && kind(index) == TapeWord.plain { return name }
    return settings.converted(name, at: path())
  }
}

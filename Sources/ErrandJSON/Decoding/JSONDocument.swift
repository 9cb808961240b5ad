import Foundation

/// A JSON text that was read once, and where its values are; nothing in it changes after it is made.
///
/// It owns its memory: at most four times as much as the text has bytes, with a copy of the text in it.
// Unchecked: nothing changes after `init`, and what the pointers point to is only read.
final class JSONDocument: @unchecked Sendable {
  /// A longer text is refused: places on the tape have 28 bits.
  static let sizeLimit = 1 << 28 - 2

  /// The text, followed by zeros.
  let bytes: UnsafePointer<UInt8>
  let count: Int
  /// The words of the text; see ``TapeWord``.
  let tape: UnsafePointer<UInt32>
  /// The last place on the tape, where there is a null that is not in the text.
  let nothing: Int
  let settings: DecodingSettings
  /// How many of the first bytes were put before the text that was given: a brace, or nothing.
  let added: Int
  /// The text as it was, where names of the copy were converted.
  private let original: Data?

  /// Reads a text in UTF-8 without a byte order mark, in braces that are put around it if it is said to be the members of an object.
  ///
  /// Where a fault is, it is in the text as it was given.
  init(_ text: Data, settings: DecodingSettings, asMembers: Bool = false) throws(TapeFault) {
    added = asMembers ? 1 : 0
    count = text.count + 2 * added
    guard count <= Self.sizeLimit else {
      throw TapeFault(.tooLong, at: Self.sizeLimit)
    }
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 24)
    text.copyBytes(to: copy + added, count: text.count)
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
      (bytes, tape, nothing) = (UnsafePointer(copy), UnsafePointer(words), used - 1)
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

  /// Whether it is an object or an array as a whole.
  var isContainer: Bool { kind(0) >= TapeWord.array }

  @inline(__always) func kind(_ index: Int) -> UInt32 { TapeWord.kind(tape[index]) }

  /// The text of a string; `nil` where it is none that can be read.
  func text(_ index: Int, mendsSurrogates: Bool = false) -> String? {
    StringText.string(
      bytes + TapeWord.place(tape[index]), count: Int(tape[index + 1]), kind: kind(index),
      mendsSurrogates: mendsSurrogates)
  }

  /// A member's name as it is written; `nil` where it cannot be read.
  func writtenName(_ index: Int, mendsSurrogates: Bool = false) -> String? {
    guard let original, kind(index) == TapeWord.plain else {
      return text(index, mendsSurrogates: mendsSurrogates)
    }
    // A plain name that was converted is shorter than the one that was written.
    let start = original.startIndex + TapeWord.place(tape[index]) - added
    let name = original[start...].prefix { $0 != 0x22 }
    return String(decoding: name, as: UTF8.self)
  }

  /// A member's name as it is decoded; `nil` where it cannot be read.
  func name(_ index: Int, at path: @autoclosure () -> [any CodingKey]) -> String? {
    guard let name = text(index) else { return nil }
    if settings.keepsNames || original != nil && kind(index) == TapeWord.plain { return name }
    return settings.converted(name, at: path())
  }
}

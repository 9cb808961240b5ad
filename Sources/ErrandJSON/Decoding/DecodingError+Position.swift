import Foundation

extension DecodingError {
  init(_ error: JSONSyntaxError) {
    self = .dataCorrupted(
      Context(
        codingPath: [], debugDescription: error.sentence,
        underlyingError: PositionedDecoding(position: error.position, syntax: error)))
  }

  package var jsonSyntaxError: JSONSyntaxError? {
    (context.underlyingError as? PositionedDecoding)?.syntax
  }

  /// The position of the error in the JSON text; `nil` if unknown.
  ///
  /// An error that a `JSONDecoder` throws usually has no position. An error caught in `init(from:)` usually
  /// has no position yet.
  public var jsonPosition: JSONPosition? {
    switch context.underlyingError {
    case let error as any JSONPositioned: error.jsonPosition
    case let error as DecodingError: error.jsonPosition
    default: nil
    }
  }

  var context: Context {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: Context(codingPath: [], debugDescription: "")
    }
  }

  func located(in document: JSONDocument) -> DecodingError {
    let old = context
    let known = old.underlyingError as? PositionedDecoding
    if let known, known.offset == nil { return self }
    // Without a path, a user's type may have thrown the error, so the position is unknown.
    if known == nil, old.codingPath.isEmpty, case .dataCorrupted = self, document.isContainer { return self }
    let position = document.position(known?.offset ?? document.offset(at: old.codingPath))
    let context = Context(
      codingPath: old.codingPath,
      debugDescription: old.debugDescription
        + (old.underlyingError == nil || known != nil ? "" : " (\(position))"),
      underlyingError: known == nil
        ? old.underlyingError ?? PositionedDecoding(position: position)
        : PositionedDecoding(position: position))
    return switch self {
    case .typeMismatch(let type, _): .typeMismatch(type, context)
    case .valueNotFound(let type, _): .valueNotFound(type, context)
    case .keyNotFound(let key, _): .keyNotFound(key, context)
    case .dataCorrupted: .dataCorrupted(context)
    @unknown default: self
    }
  }
}

package protocol JSONPositioned: Error {
  var jsonPosition: JSONPosition? { get }
}

struct PositionedDecoding: JSONPositioned, CustomStringConvertible {
  var position: JSONPosition?
  /// The offset in bytes.
  ///
  /// The line is computed later, to save time if `init(from:)` catches the error.
  var offset: Int?
  var syntax: JSONSyntaxError?

  var jsonPosition: JSONPosition? { position }
  var description: String { position.map { "at \($0)" } ?? "" }
}

extension JSONDocument {
  /// Converts an offset in the document to a position in the given text.
  ///
  /// For `assumesTopLevelDictionary`, the document starts with an added brace.
  func position(_ offset: Int) -> JSONPosition {
    JSONPosition(
      offset: max(0, offset - prefixLength),
      in: UnsafeBufferPointer(start: bytes + prefixLength, count: count - 2 * prefixLength))
  }

  func offset(at path: [any CodingKey]) -> Int {
    var index = 0
    var place = ValueOffset(self)
    for (level, key) in path.enumerated() {
      guard let step = step(into: index, key, at: path[..<level]) else { break }
      place.enter(step.number, isObject: kind(index) != TapeWord.array)
      index = step.index
    }
    return place.offset
  }

  func offset(of target: Int) -> Int {
    let kind = kind(target)
    if kind < TapeWord.array { return TapeWord.place(tape[target]) - (TapeWord.isText(kind) ? 1 : 0) }
    var (index, place) = (0, ValueOffset(self))
    while index != target, index < nullIndex {
      let isObject = self.kind(index) != TapeWord.array
      var (value, number) = (isObject ? index + 3 : index + 1, 0)
      while Tape.next(after: value, on: tape) <= target {
        value = Tape.next(after: value, on: tape) + (isObject ? 2 : 0)
        number += 1
      }
      place.enter(number, isObject: isObject)
      index = value
    }
    return place.offset
  }

  private func step(
    into container: Int, _ key: any CodingKey, at path: ArraySlice<any CodingKey>
  ) -> (index: Int, number: Int)? {
    let kind = kind(container)
    guard kind >= TapeWord.array else { return nil }
    let end = TapeWord.place(tape[container])
    var (index, number) = (container + 1, 0)
    while index < end {
      let value = kind == TapeWord.array ? index : index + 2
      if kind == TapeWord.array ? key.intValue == number : isName(index, equalTo: key.stringValue, at: path) {
        return (value, number)
      }
      index = Tape.next(after: value, on: tape)
      number += 1
    }
    return nil
  }

  private func isName(_ index: Int, equalTo name: String, at path: ArraySlice<any CodingKey>) -> Bool {
    writtenName(index) == name || self.name(index, at: Array(path)) == name
  }
}

private struct ValueOffset {
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private let dropsNulls: Bool
  private(set) var offset = 0

  init(_ document: JSONDocument) {
    (bytes, count) = (document.bytes, document.count)
    dropsNulls = document.settings.dropsNulls
    skipBlanks()
  }

  mutating func enter(_ number: Int, isObject: Bool) {
    offset += 1
    var passed = 0
    while offset < count {
      skipBlanks()
      if isObject {
        skipString()
        skipBlanks()
        offset += 1
        skipBlanks()
      }
      if isObject || !dropsNulls || bytes[offset] != UInt8(ascii: "n") {
        if passed == number { return }
        passed += 1
      }
      skipValue()
      skipBlanks()
      offset += 1
    }
  }

  private mutating func skipBlanks() {
    while offset < count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func skipString() {
    offset += 1
    while offset < count, bytes[offset] != 0x22 {
      offset += bytes[offset] == 0x5C ? (bytes[offset + 1] == 0x75 ? 6 : 2) : 1
    }
    offset += 1
  }

  private mutating func skipValue() {
    var depth = 0
    while offset < count {
      switch bytes[offset] {
      case 0x22: skipString()
      case 0x5B, 0x7B:
        depth += 1
        offset += 1
      case 0x5D, 0x7D:
        if depth == 0 { return }
        depth -= 1
        offset += 1
      case 0x2C where depth == 0: return
      default: offset += 1
      }
      if depth == 0, offset < count, bytes[offset] == 0x2C || bytes[offset] == 0x5D || bytes[offset] == 0x7D {
        return
      }
    }
  }
}

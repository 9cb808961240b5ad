import Foundation

// Scalars at places on the tape; each one's coding path is asked for only when it is needed for an error.
extension JSONPlace {
  @inline(__always)
  func string(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> String {
    let word = tape[index]
    if TapeWord.kind(word) == TapeWord.plain {
      return StringText.ascii(bytes + TapeWord.place(word), count: Int(truncatingIfNeeded: tape[index &+ 1]))
    }
    guard let string = otherString(index) else { throw notString(index, path: path()) }
    return string
  }

  @inline(never)
  private func otherString(_ index: Int) -> String? {
    TapeWord.isText(kind(index)) ? document.text(index) : nil
  }

  @inline(never)
  private func notString(_ index: Int, path: [any CodingKey]) -> DecodingError {
    TapeWord.isText(kind(index))
      ? unreadable(index, path: path) : mismatch(String.self, at: index, path: path)
  }

  @inline(__always)
  func bool(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> Bool {
    let kind = kind(index)
    if kind == TapeWord.yes { return true }
    if kind == TapeWord.no { return false }
    throw mismatch(Bool.self, at: index, path: path())
  }

  @inline(__always)
  func integer<Value: FixedWidthInteger>(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws
    -> Value
  {
    let word = tape[index]
    if TapeWord.kind(word) == TapeWord.integer,
      let value = NumberText.integer(bytes + TapeWord.place(word), as: Value.self)
    {
      return value
    }
    if let value = otherInteger(index, as: Value.self) { return value }
    throw notNumber(index, as: Value.self, path: path())
  }

  /// A number that is written otherwise than as an integer: what `Double` makes of it, where that is exact, else what Foundation does.
  @inline(never)
  private func otherInteger<Value: FixedWidthInteger>(_ index: Int, as type: Value.Type) -> Value? {
    guard kind(index) == TapeWord.fraction else { return nil }
    let text = bytes + TapeWord.place(tape[index])
    if let double = NumberText.double(text) {
      guard let value = Value(exactly: double) else { return nil }
      if double.magnitude < 0x1p53 { return value }
    }
    guard let type = type as? any Decodable.Type else { return nil }
    return NumberText.byFoundation(text, as: type) as? Value
  }

  @inline(__always)
  func double(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> Double {
    let word = tape[index]
    if TapeWord.isNumber(TapeWord.kind(word)), let value = NumberText.double(bytes + TapeWord.place(word)) {
      return value
    }
    if let value: Double = nonConforming(index) { return value }
    throw notNumber(index, as: Double.self, path: path())
  }

  func float(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> Float {
    let word = tape[index]
    if TapeWord.isNumber(TapeWord.kind(word)), let value = NumberText.float(bytes + TapeWord.place(word)) {
      return value
    }
    if let value: Float = nonConforming(index) { return value }
    throw notNumber(index, as: Float.self, path: path())
  }

  /// What a text stands for that is agreed on for a number that is infinite or none.
  @inline(never)
  private func nonConforming<Value: BinaryFloatingPoint>(_ index: Int) -> Value? {
    guard kind(index) == TapeWord.plain || kind(index) == TapeWord.utf8,
      case .convertFromString(let positive, let negative, let nan) = document.settings.floats
    else { return nil }
    let start = bytes + TapeWord.place(tape[index])
    let text = UnsafeBufferPointer(start: start, count: Int(tape[index + 1]))
    if text.elementsEqual(positive.utf8) { return .infinity }
    if text.elementsEqual(negative.utf8) { return -.infinity }
    return text.elementsEqual(nan.utf8) ? .nan : nil
  }

  @inline(never)
  func notNumber(_ index: Int, as type: any Any.Type, path: [any CodingKey]) -> DecodingError {
    guard TapeWord.isNumber(kind(index)) else { return mismatch(type, at: index, path: path) }
    let isNumber = NumberText.length(bytes + TapeWord.place(tape[index])) != nil
    return .dataCorrupted(
      .init(
        codingPath: path,
        debugDescription: isNumber ? "the number does not fit \(type)" : "the number is not as JSON has it"))
  }
}

extension JSONPlace: SingleValueDecodingContainer {
  func decodeNil() -> Bool { kind(index) == TapeWord.null }
  func decode(_ type: Bool.Type) throws -> Bool { try bool(index, path: codingPath) }
  func decode(_ type: String.Type) throws -> String { try string(index, path: codingPath) }
  func decode(_ type: Double.Type) throws -> Double { try double(index, path: codingPath) }
  func decode(_ type: Float.Type) throws -> Float { try float(index, path: codingPath) }
  func decode(_ type: Int.Type) throws -> Int { try integer(index, path: codingPath) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(index, path: codingPath) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(index, path: codingPath) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(index, path: codingPath) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(index, path: codingPath) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(index, path: codingPath) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(index, path: codingPath) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(index, path: codingPath) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(index, path: codingPath) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(index, path: codingPath) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(index, path: codingPath) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(index, path: codingPath) }
}

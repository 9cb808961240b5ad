import Foundation

/// Reads values of a document.
///
/// Coding paths are autoclosures, because only errors need the path.
struct TapeReader {
  let document: JSONDocument
  let bytes: UnsafePointer<UInt8>
  let tape: UnsafePointer<UInt32>

  init(_ document: JSONDocument) {
    self.document = document
    (bytes, tape) = (document.bytes, document.tape)
  }

  @inline(__always) func kind(_ index: Int) -> UInt32 { TapeWord.kind(tape[index]) }

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

  /// Returns an integer that is written with a point or an exponent, such as `34.0` or `1e2`.
  ///
  /// From 2^53 on, Foundation converts the text, because a `Double` would lose digits.
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
        debugDescription: isNumber ? "the number does not fit \(type)" : "the number is malformed"))
  }

  @inline(never)
  func mismatch(_ type: any Any.Type, at index: Int, path: [any CodingKey]) -> DecodingError {
    let kind = kind(index)
    if kind == TapeWord.null, type != Bool.self {
      return .valueNotFound(
        type,
        .init(
          codingPath: path, debugDescription: "Cannot get value of type \(type) -- found null value instead"))
    }
    return .typeMismatch(
      type,
      .init(
        codingPath: path,
        debugDescription: "Expected to decode \(type) but found \(TapeWord.name(kind)) instead."))
  }

  @inline(never)
  func unreadable(_ string: Int, path: [any CodingKey]) -> DecodingError {
    let start = TapeWord.place(tape[string])
    let text = UnsafeBufferPointer(start: bytes + start, count: Int(tape[string + 1]))
    let fault = StringText.fault(in: text)
    return .dataCorrupted(
      .init(
        codingPath: path, debugDescription: "the string has \(fault.reason)",
        underlyingError: PositionedDecoding(offset: start + fault.offset)))
  }
}

extension TapeReader {
  @inline(__always)
  func array<Element>(
    _ index: Int, path: @autoclosure () -> [any CodingKey],
    element: (_ index: Int, _ number: Int) throws -> Element
  ) throws -> [Element] {
    guard kind(index) == TapeWord.array else { throw mismatch([Any].self, at: index, path: path()) }
    let end = TapeWord.place(tape[index])
    var next = index &+ 1
    let total = Tape.count(from: next, to: end, on: tape)
    return try [Element](capacity: total) { number in
      let value = try element(next, number)
      next = Tape.next(after: next, on: tape)
      return value
    }
  }

  @inline(__always)
  func special<Value>(
    _ type: Value.Type, as special: SpecialType, at index: Int, path: @autoclosure () -> [any CodingKey],
    inside: ((JSONPlace) throws -> Any) throws -> Any
  ) throws -> Value {
    // Safe, because `special` was made from the type `Value`.
    func cast<Known>(_ value: Known) -> Value { unsafeBitCast(value, to: Value.self) }
    return switch special {
    case .string: cast(try string(index, path: path()))
    case .int: cast(try integer(index, path: path()) as Int)
    case .double: cast(try double(index, path: path()))
    case .bool: cast(try bool(index, path: path()))
    case .url: cast(try url(index, path: path()))
    case .date: cast(try date(index, path: path(), inside: inside))
    case .data: cast(try data(index, path: path(), inside: inside))
    case .decimal: cast(try decimal(index, path: path()))
    case .strings:
      cast(
        try array(index, path: path()) { try string($0, path: path() + [NameKey(intValue: $1)]) } as [String])
    case .ints:
      cast(
        try array(index, path: path()) { try integer($0, path: path() + [NameKey(intValue: $1)]) } as [Int])
    case .doubles:
      cast(
        try array(index, path: path()) { try double($0, path: path() + [NameKey(intValue: $1)]) } as [Double])
    }
  }

  private func url(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> URL {
    if kind(index) == TapeWord.null { throw mismatch(URL.self, at: index, path: path()) }
    guard let url = URL(string: try string(index, path: path())) else {
      throw corrupted("Invalid URL string.", path: path())
    }
    return url
  }

  private func decimal(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> Decimal {
    guard TapeWord.isNumber(kind(index)) else { throw mismatch(Decimal.self, at: index, path: path()) }
    guard let value = NumberText.decimal(bytes + TapeWord.place(tape[index])) else {
      throw notNumber(index, as: Decimal.self, path: path())
    }
    return value
  }

  private func data(
    _ index: Int, path: @autoclosure () -> [any CodingKey],
    inside: ((JSONPlace) throws -> Any) throws -> Any
  ) throws -> Data {
    if kind(index) == TapeWord.null { throw mismatch(Data.self, at: index, path: path()) }
    switch document.settings.data {
    case .deferredToData: return try inside { try Data(from: $0) } as! Data
    case .custom(let decode): return try inside { try decode($0) } as! Data
    default:
      guard let data = Data(base64Encoded: try string(index, path: path())) else {
        throw corrupted("Encountered Data is not valid Base64.", path: path())
      }
      return data
    }
  }

  private func date(
    _ index: Int, path: @autoclosure () -> [any CodingKey],
    inside: ((JSONPlace) throws -> Any) throws -> Any
  ) throws -> Date {
    if kind(index) == TapeWord.null { throw mismatch(Date.self, at: index, path: path()) }
    switch document.settings.dates {
    case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(index, path: path()))
    case .secondsSince1970: return Date(timeIntervalSince1970: try double(index, path: path()))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(index, path: path()) / 1000)
    case .custom(let decode): return try inside { try decode($0) } as! Date
    case .iso8601(let isStrict):
      if kind(index) == TapeWord.plain, tape[index + 1] == ISO8601Text.plainLength,
        let date = ISO8601Text.plainDate(bytes + TapeWord.place(tape[index]))
      {
        return date
      }
      let text = try string(index, path: path())
      guard let date = ISO8601Text.date(text, isStrict: isStrict) else {
        throw corrupted(
          isStrict ? "\"\(text)\" is not an ISO 8601 date" : "Expected date string to be ISO8601-formatted.",
          path: path())
      }
      return date
    }
  }

  @inline(never)
  private func corrupted(_ reason: String, path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: reason))
  }
}

extension Array {
  @inline(__always)
  fileprivate init(capacity: Int, _ element: (_ number: Int) throws -> Element) throws {
    // Without elements, the initializer below would write to the empty array shared by all threads.
    guard capacity > 0, capacity * MemoryLayout<Element>.stride <= 1 << 20 else {
      self = []
      for number in 0..<capacity { append(try element(number)) }
      return
    }
    try self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity {
        (buffer.baseAddress.unsafelyUnwrapped + count).initialize(to: try element(count))
        count &+= 1
      }
    }
  }
}

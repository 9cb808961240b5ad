/// The elements of an array.
///
/// After an error, the container stays at the same element.
struct UnkeyedJSON: UnkeyedDecodingContainer {
  private let place: JSONPlace
  // Narrow integers, so that the container fits into an existential without an allocation.
  private var next: UInt32
  private var number: UInt32 = 0
  private let end: UInt32
  private let total: UInt32

  init(_ place: JSONPlace) {
    self.place = place
    let end = TapeWord.place(place.tape[place.index])
    next = UInt32(truncatingIfNeeded: place.index &+ 1)
    self.end = UInt32(truncatingIfNeeded: end)
    total = UInt32(truncatingIfNeeded: Tape.count(from: place.index &+ 1, to: end, on: place.tape))
  }

  var codingPath: [any CodingKey] { place.codingPath }
  var count: Int? { Int(total) }
  var currentIndex: Int { Int(number) }
  var isAtEnd: Bool { number >= total }

  private var path: [any CodingKey] { place.codingPath + [NameKey(intValue: currentIndex)] }

  @inline(__always)
  private func index(_ type: any Any.Type) throws -> Int {
    guard next < end else { throw atEnd(type) }
    return Int(truncatingIfNeeded: next)
  }

  @inline(__always)
  private var present: Int? {
    guard next < end, place.kind(Int(next)) != TapeWord.null else { return nil }
    return Int(next)
  }

  @inline(__always)
  private mutating func advance() {
    if next < end { next = UInt32(truncatingIfNeeded: Tape.next(after: Int(next), on: place.tape)) }
    number &+= 1
  }

  @inline(never)
  private func atEnd(_ type: any Any.Type) -> DecodingError {
    .valueNotFound(type, .init(codingPath: path, debugDescription: "Unkeyed container is at end."))
  }

  mutating func decodeNil() throws -> Bool {
    guard place.kind(try index(Never.self)) == TapeWord.null else { return false }
    advance()
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    let value: Bool = try place.reader.bool(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: String.Type) throws -> String {
    let value: String = try place.reader.string(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    let value: Double = try place.reader.double(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    let value: Float = try place.reader.float(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    let value: Int = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    let value: Int8 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    let value: Int16 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    let value: Int32 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    let value: Int64 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    let value: Int128 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    let value: UInt = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    let value: UInt8 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    let value: UInt16 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    let value: UInt32 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    let value: UInt64 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    let value: UInt128 = try place.reader.integer(index(type), path: path)
    advance()
    return value
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try place.decode(type, at: index(type), step: .init(index: currentIndex))
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
    let value: Bool? = try present.map { try place.reader.bool($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
    let value: String? = try present.map { try place.reader.string($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
    let value: Double? = try present.map { try place.reader.double($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
    let value: Float? = try present.map { try place.reader.float($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? {
    let value: Int? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? {
    let value: Int8? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? {
    let value: Int16? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? {
    let value: Int32? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? {
    let value: Int64? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? {
    let value: Int128? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? {
    let value: UInt? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? {
    let value: UInt8? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? {
    let value: UInt16? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? {
    let value: UInt32? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? {
    let value: UInt64? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? {
    let value: UInt128? = try present.map { try place.reader.integer($0, path: path) }
    advance()
    return value
  }

  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    let value = try present.map { try place.decode(type, at: $0, step: .init(index: currentIndex)) }
    advance()
    return value
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key>
  {
    let container = try nested(KeyedDecodingContainer<Key>.self).container(keyedBy: type)
    advance()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nested((any UnkeyedDecodingContainer).self).unkeyedContainer()
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try nested((any Decoder).self)
    advance()
    return decoder
  }

  private func nested(_ type: any Any.Type) throws -> JSONPlace {
    try place.place(index(type), key: NameKey(intValue: currentIndex))
  }
}

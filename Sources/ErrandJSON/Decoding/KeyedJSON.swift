struct KeyedJSON<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let place: JSONPlace

  init(_ place: JSONPlace) { self.place = place }

  var codingPath: [any CodingKey] { place.codingPath }
  var allKeys: [Key] { place.names.compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { place.find(key.stringValue) != nil }

  @inline(__always)
  private func index(_ key: Key) throws -> Int {
    guard let index = place.find(key.stringValue) else { throw missing(key) }
    return index
  }

  @inline(__always)
  private func present(_ key: Key) -> Int? {
    guard let index = place.find(key.stringValue), place.kind(index) != TapeWord.null else { return nil }
    return index
  }

  @inline(never)
  private func missing(_ key: some CodingKey) -> DecodingError {
    .keyNotFound(
      key,
      .init(
        codingPath: codingPath,
        debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
  }

  private func path(_ key: Key) -> [any CodingKey] { place.codingPath + [key] }

  func decodeNil(forKey key: Key) throws -> Bool { place.kind(try index(key)) == TapeWord.null }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try place.reader.bool(index(key), path: path(key))
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try place.reader.string(index(key), path: path(key))
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try place.reader.double(index(key), path: path(key))
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try place.reader.float(index(key), path: path(key))
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try place.reader.integer(index(key), path: path(key))
  }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try place.reader.integer(index(key), path: path(key))
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try place.reader.integer(index(key), path: path(key))
  }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try place.reader.integer(index(key), path: path(key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try value(type, at: index(key), for: key)
  }

  @inline(__always)
  private func value<Value: Decodable>(_ type: Value.Type, at index: Int, for key: Key) throws -> Value {
    // The name in the text may have a different Unicode form. Error paths must contain the key.
    if place.isCollected { return try place.place(index, key: key).decode(type) }
    return try place.decode(type, at: index, step: JSONPlace.step(to: index, of: Key.self))
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let index = present(key) else { return nil }
    return try place.reader.bool(index, path: path(key))
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let index = present(key) else { return nil }
    return try place.reader.string(index, path: path(key))
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let index = present(key) else { return nil }
    return try place.reader.double(index, path: path(key))
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    guard let index = present(key) else { return nil }
    return try place.reader.float(index, path: path(key))
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    guard let index = present(key) else { return nil }
    return try place.reader.integer(index, path: path(key))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let index = present(key) else { return nil }
    return try value(type, at: index, for: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try place.place(index(key), key: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try place.place(index(key), key: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(NameKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: some CodingKey) throws -> any Decoder {
    try place.place(place.find(key.stringValue) ?? place.document.nullIndex, key: key)
  }
}

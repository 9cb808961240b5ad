import Foundation

struct GuardedValue<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    try JSONDepth.checkStack(of: decoder)
    if Self.isPlain {
      value = try decoder.singleValueContainer().decode(Value.self)
    } else if let guarded = GuardedType(Value.self) {
      try guarded.check(decoder)
      value = try decoder.singleValueContainer().decode(Value.self)
    } else if let dictionary = Value.self as? any StringDictionary.Type,
      let result = try dictionary.decodeGuarded(decoder) as? Value
    {
      value = result
    } else {
      value = try Value(from: GuardedDecoder(base: decoder))
    }
  }

  static var isPlain: Bool {
    SpecialType(Value.self) != nil || Value.self is any FixedWidthInteger.Type
      || Value.self is any BinaryFloatingPoint.Type || Value.self == Bool.self || Value.self == String.self
  }

  /// Decodes a value.
  ///
  /// A `valueNotFound` error names the user's type in place of the wrapper type.
  static func unwrapped(_ decode: (Self.Type) throws -> Self) throws -> Value {
    do {
      return try decode(Self.self).value
    } catch DecodingError.valueNotFound(let type, let context) where type == Self.self {
      throw DecodingError.valueNotFound(Value.self, context)
    }
  }
}

private struct GuardedDecoder: Decoder {
  let base: any Decoder

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(GuardedMembers(base: try base.container(keyedBy: type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    GuardedElements(base: try base.unkeyedContainer())
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    GuardedSingleValue(base: try base.singleValueContainer())
  }
}

private struct GuardedSingleValue: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer

  var codingPath: [any CodingKey] { base.codingPath }
  func decodeNil() -> Bool { base.decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if GuardedValue<Value>.isPlain { return try base.decode(type) }
    return try GuardedValue<Value>.unwrapped { try base.decode($0) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }
}

private struct GuardedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: KeyedDecodingContainer<Key>

  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { base.allKeys }
  func contains(_ key: Key) -> Bool { base.contains(key) }
  func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if GuardedValue<Value>.isPlain { return try base.decode(type, forKey: key) }
    return try GuardedValue<Value>.unwrapped { try base.decode($0, forKey: key) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try base.decode(type, forKey: key) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try base.decode(type, forKey: key) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(GuardedMembers<Nested>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    GuardedElements(base: try base.nestedUnkeyedContainer(forKey: key))
  }

  func superDecoder() throws -> any Decoder { GuardedDecoder(base: try base.superDecoder()) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    GuardedDecoder(base: try base.superDecoder(forKey: key))
  }
}

private struct GuardedElements: UnkeyedDecodingContainer {
  var base: any UnkeyedDecodingContainer

  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }
  mutating func decodeNil() throws -> Bool { try base.decodeNil() }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if GuardedValue<Value>.isPlain { return try base.decode(type) }
    return try GuardedValue<Value>.unwrapped { try base.decode($0) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(GuardedMembers(base: try base.nestedContainer(keyedBy: type)))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    GuardedElements(base: try base.nestedUnkeyedContainer())
  }

  mutating func superDecoder() throws -> any Decoder { GuardedDecoder(base: try base.superDecoder()) }

  // At the end of the array, Foundation's `decodeIfPresent` advances the index. The default implementation
  // does not.
  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    try base.decodeIfPresent(GuardedValue<Value>.self)?.value
  }

  mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: String.Type) throws -> String? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try base.decodeIfPresent(type) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try base.decodeIfPresent(type) }
  mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try base.decodeIfPresent(type) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? { try base.decodeIfPresent(type) }
}

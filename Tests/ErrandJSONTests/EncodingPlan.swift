import Foundation

/// A value that describes its own encoding, to compare two encoders over many operations of `encode(to:)`.
indirect enum EncodingPlan: Encodable {
  case null, nothing
  case bool(Bool), int(Int), int8(Int8), int16(Int16), int32(Int32), int64(Int64)
  case uint(UInt), uint8(UInt8), uint16(UInt16), uint32(UInt32), uint64(UInt64)
  case double(Double), float(Float), string(String)
  case date(Date), data(Data), url(URL), decimal(Decimal)
  case bools([Bool]), ints([Int]), bytes([UInt8]), strings([String]), doubles([Double]), floats([Float])
  case optionals([Int?]), intKeys([Int: Int]), dictionary([String: EncodingPlan]), sets([Set<Int>])
  /// A value that encodes another value in its place.
  case wrapped(EncodingPlan)
  case object([Member])
  case array([EncodingPlan])
  /// An object whose objects and arrays are nested containers of the object's encoder.
  case nestedObject([Member])
  case nestedArray([EncodingPlan])
  /// Two nested containers that are filled alternately.
  case interleaved([Member])
  /// An object with super encoders.
  ///
  /// The first super encoder is used at once, the second at the end.
  case inherited([Member], EncodingPlan, EncodingPlan)
  case inheritedArray([EncodingPlan], EncodingPlan)
  /// Two containers of the same encoder.
  case merged([Member], [Member])

  struct Member {
    var key: String
    var value: EncodingPlan
  }

  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    if try encodePrimitive(to: encoder) { return }
    switch self {
    case .object(let members): try Self.fill(encoder.container(keyedBy: Key.self), members)
    case .merged(let first, let second):
      try Self.fill(encoder.container(keyedBy: Key.self), first)
      try Self.fill(encoder.container(keyedBy: Key.self), second)
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .nestedObject(let members): try Self.nest(in: encoder.container(keyedBy: Key.self), members)
    case .nestedArray(let elements): try Self.nest(in: encoder.unkeyedContainer(), elements)
    case .interleaved(let members): try Self.interleave(encoder, members)
    case .inherited(let members, let first, let last):
      var container = encoder.container(keyedBy: Key.self)
      try first.encode(to: container.superEncoder())
      let late = container.superEncoder(forKey: Key("late"))
      try Self.fill(container, members)
      try last.encode(to: late)
    case .inheritedArray(let elements, let base):
      var container = encoder.unkeyedContainer()
      try container.encode("first")
      try base.encode(to: container.superEncoder())
      for element in elements { try container.encode(element) }
    default: break
    }
  }

  private static func fill(_ container: KeyedEncodingContainer<Key>, _ members: [Member]) throws {
    var container = container
    for member in members {
      switch member.value {
      case .null: try container.encodeNil(forKey: Key(member.key))
      case .int(let value): try container.encode(value, forKey: Key(member.key))
      case .string(let value): try container.encodeIfPresent(value, forKey: Key(member.key))
      case .double(let value): try container.encode(value, forKey: Key(member.key))
      case .ints(let value): try container.encode(value, forKey: Key(member.key))
      default: try container.encode(member.value, forKey: Key(member.key))
      }
    }
  }

  private static func nest(in container: KeyedEncodingContainer<Key>, _ members: [Member]) throws {
    var container = container
    for (index, member) in members.enumerated() {
      // The keys stay distinct under every key strategy.
      let key = Key("nested \(index)")
      switch member.value {
      case .object(let members), .nestedObject(let members):
        try nest(in: container.nestedContainer(keyedBy: Key.self, forKey: key), members)
      case .array(let elements), .nestedArray(let elements):
        try nest(in: container.nestedUnkeyedContainer(forKey: key), elements)
      default: try container.encode(member.value, forKey: Key(member.key))
      }
    }
  }

  private static func nest(in container: any UnkeyedEncodingContainer, _ elements: [EncodingPlan]) throws {
    var container = container
    for element in elements {
      switch element {
      case .object(let members), .nestedObject(let members):
        try nest(in: container.nestedContainer(keyedBy: Key.self), members)
      case .array(let elements), .nestedArray(let elements):
        try nest(in: container.nestedUnkeyedContainer(), elements)
      case .null: try container.encodeNil()
      case .uint8(let value): try container.encode(value)
      default: try container.encode(element)
      }
    }
  }

  private static func interleave(_ encoder: any Encoder, _ members: [Member]) throws {
    var container = encoder.container(keyedBy: Key.self)
    var object = container.nestedContainer(keyedBy: Key.self, forKey: Key("the object"))
    var array = container.nestedUnkeyedContainer(forKey: Key("the array"))
    for (index, member) in members.enumerated() {
      switch index % 4 {
      case 0: try object.encode(member.value, forKey: Key(member.key))
      case 1: try array.encode(member.value)
      case 2: try container.encode(member.value, forKey: Key("own " + member.key))
      default:
        var again = container.nestedContainer(keyedBy: Key.self, forKey: Key("the object"))
        try again.encode(member.value, forKey: Key("again"))
      }
    }
  }

  private func encodePrimitive(to encoder: any Encoder) throws -> Bool {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .nothing: break
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .int8(let value): try container.encode(value)
    case .int16(let value): try container.encode(value)
    case .int32(let value): try container.encode(value)
    case .int64(let value): try container.encode(value)
    case .uint(let value): try container.encode(value)
    case .uint8(let value): try container.encode(value)
    case .uint16(let value): try container.encode(value)
    case .uint32(let value): try container.encode(value)
    case .uint64(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .url(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .bools(let value): try container.encode(value)
    case .ints(let value): try container.encode(value)
    case .bytes(let value): try container.encode(value)
    case .strings(let value): try container.encode(value)
    case .doubles(let value): try container.encode(value)
    case .floats(let value): try container.encode(value)
    case .optionals(let value): try container.encode(value)
    case .intKeys(let value): try container.encode(value)
    case .sets(let value): try container.encode(value.map { $0.sorted() })
    case .dictionary(let value): try container.encode(value)
    case .wrapped(let value): try container.encode(value)
    default: return false
    }
    return true
  }
}

import Foundation

enum JSONValueKind: UInt8 {
  /// Written by the value's `encode(to:)`.
  case encodable
  case primitive
  case date, data, url, decimal, numberText
  case strings, doubles, floats, bools
  case ints, int8s, int16s, int32s, int64s, uints, uint8s, uint16s, uint32s, uint64s
  /// A dictionary with `String` keys, or a `JSONSortedObject`. No strategy converts the keys.
  case stringDictionary
  /// An optional dictionary with `String` keys. As in Foundation, no strategy converts the keys.
  case optionalStringDictionary

  /// Returns the kind of a type.
  ///
  /// Only types with the size of a pointer need the slow conformance checks.
  static func of(_ type: Any.Type, size: Int) -> JSONValueKind {
    switch ObjectIdentifier(type) {
    case ObjectIdentifier(Date.self): return .date
    case ObjectIdentifier(URL.self): return .url
    case ObjectIdentifier(Data.self): return .data
    case ObjectIdentifier(Decimal.self): return .decimal
    case ObjectIdentifier(JSONNumberText.self): return .numberText
    case ObjectIdentifier(String.self), ObjectIdentifier(Int.self), ObjectIdentifier(Bool.self),
      ObjectIdentifier(Double.self), ObjectIdentifier(Float.self), ObjectIdentifier(Int8.self),
      ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self),
      ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self),
      ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self), ObjectIdentifier(JSONNull.self):
      return .primitive
    default: break
    }
    guard size == MemoryLayout<Int>.size else { return .encodable }
    if let kind = array(ObjectIdentifier(type)) { return kind }
    if type is any JSONStringDictionary.Type { return .stringDictionary }
    if type is any JSONOptionalStringDictionary.Type { return .optionalStringDictionary }
    return .encodable
  }

  private static func array(_ type: ObjectIdentifier) -> JSONValueKind? {
    switch type {
    case ObjectIdentifier([String].self): .strings
    case ObjectIdentifier([Int].self): .ints
    case ObjectIdentifier([Double].self): .doubles
    case ObjectIdentifier([Bool].self): .bools
    case ObjectIdentifier([Float].self): .floats
    case ObjectIdentifier([Int8].self): .int8s
    case ObjectIdentifier([Int16].self): .int16s
    case ObjectIdentifier([Int32].self): .int32s
    case ObjectIdentifier([Int64].self): .int64s
    case ObjectIdentifier([UInt].self): .uints
    case ObjectIdentifier([UInt8].self): .uint8s
    case ObjectIdentifier([UInt16].self): .uint16s
    case ObjectIdentifier([UInt32].self): .uint32s
    case ObjectIdentifier([UInt64].self): .uint64s
    default: nil
    }
  }
}

struct JSONValueKindCache: ~Copyable {
  private typealias Entry = (type: ObjectIdentifier?, kind: JSONValueKind)
  private static var size: Int { 32 }
  private var entries: UnsafeMutablePointer<Entry>?

  deinit { entries?.deallocate() }

  @inline(__always)
  mutating func kind<T>(of type: T.Type) -> JSONValueKind {
    let id = ObjectIdentifier(type)
    let place = (UInt(bitPattern: id) &>> 3 ^ UInt(bitPattern: id) &>> 8) & UInt(Self.size &- 1)
    if let entries, entries[Int(bitPattern: place)].type == id { return entries[Int(bitPattern: place)].kind }
    return find(type, size: MemoryLayout<T>.size, at: Int(bitPattern: place))
  }

  @inline(never)
  private mutating func find(_ type: Any.Type, size: Int, at place: Int) -> JSONValueKind {
    let kind = JSONValueKind.of(type, size: size)
    let entries = self.entries ?? .allocate(capacity: Self.size)
    if self.entries == nil { entries.initialize(repeating: (nil, .encodable), count: Self.size) }
    self.entries = entries
    entries[place] = (ObjectIdentifier(type), kind)
    return kind
  }
}

/// A dictionary written as an object with unchanged keys.
protocol JSONStringDictionary {
  func write(into scope: JSONScope) throws
}

extension Dictionary: JSONStringDictionary where Key == String, Value: Encodable {
  func write(into scope: JSONScope) throws { try JSONValueWriter.write(members: self, in: scope) }
}

/// A dictionary whose members the encoders of ErrandJSON sort by name.
package struct JSONSortedObject<Value: Encodable>: Encodable, JSONStringDictionary {
  private let members: [String: Value]

  package init(_ members: [String: Value]) { self.members = members }

  package func encode(to encoder: any Encoder) throws {
    guard encoder is JSONCoderNode else { return try members.encode(to: encoder) }
    var container = encoder.container(keyedBy: JSONKey.self)
    for (key, value) in sorted { try container.encode(value, forKey: JSONKey(ofDictionary: key)) }
  }

  private var sorted: [(key: String, value: Value)] { members.sorted { $0.key < $1.key } }

  func write(into scope: JSONScope) throws {
    try JSONValueWriter.write(members: sorted, in: scope)
  }
}

protocol JSONOptionalStringDictionary {
  var dictionary: (any JSONStringDictionary)? { get }
}

extension Optional: JSONOptionalStringDictionary where Wrapped: JSONStringDictionary {
  var dictionary: (any JSONStringDictionary)? { self }
}

import Foundation

/// Writes values to the text of a scope.
///
/// `owner` and `key` give the coding path. `level` is the number of surrounding containers.
enum JSONValueWriter {
  @inline(__always)
  static func write<Value: Encodable>(
    _ value: Value, in scope: JSONScope, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    if try writePrimitive(value, in: scope, owner: owner, key: key) { return }
    let valueKind = scope.state.pointee.kinds.kind(of: Value.self)
    if valueKind == .encodable {
      return try scope.encodeWithin(value, owner: owner, level: level, key: key)
    }
    if try writeKnown(value, as: valueKind, in: scope, owner: owner, level: level, key: key) { return }
    try scope.within(owner: owner, level: level, key: key) { try value.encode(to: $0) }
  }

  /// Writes a value of a known type.
  ///
  /// Returns `false` if the caller must call `encode(to:)`.
  @inline(__always)
  static func writeLeaf<Value: Encodable>(
    _ value: Value, in scope: JSONScope, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws -> Bool {
    if try writePrimitive(value, in: scope, owner: owner, key: key) { return true }
    let valueKind = scope.state.pointee.kinds.kind(of: Value.self)
    return try valueKind != .encodable
      && writeKnown(value, as: valueKind, in: scope, owner: owner, level: level, key: key)
  }

  @inline(__always)
  private static func writePrimitive<Value>(
    _ value: Value, in scope: JSONScope, owner: JSONCoderNode, key: some CodingKey
  ) throws -> Bool {
    // Each cast is between equal types.
    if Value.self == String.self {
      scope.state.pointee.buffer.append(
        quoted: unsafeBitCast(value, to: String.self), escapingSlashes: scope.session.escapesSlashes)
    } else if Value.self == Int.self {
      scope.state.pointee.buffer.append(integer: unsafeBitCast(value, to: Int.self))
    } else if Value.self == Bool.self {
      scope.state.pointee.buffer.append(unsafeBitCast(value, to: Bool.self) ? "true" : "false")
    } else if Value.self == Double.self {
      try writeFloating(unsafeBitCast(value, to: Double.self), in: scope, owner: owner, key: key)
    } else if Value.self == Float.self {
      try writeFloating(unsafeBitCast(value, to: Float.self), in: scope, owner: owner, key: key)
    } else if Value.self == JSONNull.self {
      scope.state.pointee.buffer.append("null")
    } else {
      return writeSizedInteger(value, in: scope)
    }
    return true
  }

  @inline(__always)
  private static func writeSizedInteger<Value>(_ value: Value, in scope: JSONScope) -> Bool {
    @inline(__always)
    func write<Integer: FixedWidthInteger>(_ type: Integer.Type) {
      scope.state.pointee.buffer.append(integer: unsafeBitCast(value, to: type))
    }
    switch ObjectIdentifier(Value.self) {
    case ObjectIdentifier(Int8.self): write(Int8.self)
    case ObjectIdentifier(Int16.self): write(Int16.self)
    case ObjectIdentifier(Int32.self): write(Int32.self)
    case ObjectIdentifier(Int64.self): write(Int64.self)
    case ObjectIdentifier(UInt.self): write(UInt.self)
    case ObjectIdentifier(UInt8.self): write(UInt8.self)
    case ObjectIdentifier(UInt16.self): write(UInt16.self)
    case ObjectIdentifier(UInt32.self): write(UInt32.self)
    case ObjectIdentifier(UInt64.self): write(UInt64.self)
    default: return false
    }
    return true
  }

  @inline(__always)
  static func writeFloating(_ value: Double, in scope: JSONScope, owner: JSONCoderNode, key: some CodingKey)
    throws
  {
    guard value.isFinite else { return try writeUnusual(value, in: scope, at: owner.path(key)) }
    scope.state.pointee.buffer.append(finite: value)
  }

  @inline(__always)
  static func writeFloating(_ value: Float, in scope: JSONScope, owner: JSONCoderNode, key: some CodingKey)
    throws
  {
    guard value.isFinite else { return try writeUnusual(value, in: scope, at: owner.path(key)) }
    scope.state.pointee.buffer.append(finite: value)
  }

  @inline(never)
  private static func writeUnusual(
    _ value: some BinaryFloatingPoint, in scope: JSONScope, at path: @autoclosure () -> [any CodingKey],
    throwing: Bool = false
  ) throws {
    if !throwing,
      case .convertToString(let positive, let negative, let nan) =
        scope.session.settings.nonConformingFloatEncodingStrategy
    {
      let text = value.isNaN ? nan : value < 0 ? negative : positive
      return scope.state.pointee.buffer.append(quoted: text, escapingSlashes: scope.session.escapesSlashes)
    }
    let description = "Unable to encode \(type(of: value)).\(value) directly in JSON."
    throw EncodingError.invalidValue(value, .init(codingPath: path(), debugDescription: description))
  }
}

extension JSONValueWriter {
  @inline(never)
  private static func writeKnown<Value: Encodable>(
    _ value: Value, as kind: JSONValueKind, in scope: JSONScope, owner: JSONCoderNode, level: Int,
    key: some CodingKey
  ) throws -> Bool {
    switch kind {
    case .encodable, .primitive: return false
    case .numberText:
      scope.state.pointee.buffer.append(plain: unsafeBitCast(value, to: JSONNumberText.self).text)
    case .date:
      try write(date: unsafeBitCast(value, to: Date.self), in: scope, owner: owner, level: level, key: key)
    case .data:
      try write(data: unsafeBitCast(value, to: Data.self), in: scope, owner: owner, level: level, key: key)
    case .url:
      let text = unsafeBitCast(value, to: URL.self).absoluteString
      scope.state.pointee.buffer.append(quoted: text, escapingSlashes: scope.session.escapesSlashes)
    case .decimal:
      let decimal = unsafeBitCast(value, to: Decimal.self)
      if decimal.isNaN {
        try writeUnusual(Double.nan, in: scope, at: owner.path(key))
      } else {
        scope.state.pointee.buffer.append(plain: decimal.description)
      }
    case .stringDictionary:
      guard let dictionary = value as? any JSONStringDictionary else { return false }
      try write(dictionary: dictionary, in: scope, owner: owner, level: level, key: key)
    case .optionalStringDictionary:
      guard let dictionary = (value as? any JSONOptionalStringDictionary)?.dictionary else { return false }
      try write(dictionary: dictionary, in: scope, owner: owner, level: level, key: key)
    default: try writeElements(of: value, as: kind, in: scope, owner: owner, level: level, key: key)
    }
    return true
  }

  private static func writeElements<Value: Encodable>(
    of value: Value, as kind: JSONValueKind, in scope: JSONScope, owner: JSONCoderNode, level: Int,
    key: some CodingKey
  ) throws {
    switch kind {
    case .strings:
      let escaping = scope.session.escapesSlashes
      try writeArray(unsafeBitCast(value, to: [String].self), in: scope, level: level, owner: owner) {
        element, _ in
        scope.state.pointee.buffer.append(quoted: element, escapingSlashes: escaping)
      }
    case .bools:
      try writeArray(unsafeBitCast(value, to: [Bool].self), in: scope, level: level, owner: owner) {
        element, _ in
        scope.state.pointee.buffer.append(element ? "true" : "false")
      }
    case .doubles:
      try writeArray(unsafeBitCast(value, to: [Double].self), in: scope, level: level, owner: owner) {
        element, index in
        if element.isFinite { return scope.state.pointee.buffer.append(finite: element) }
        try writeUnusual(element, in: scope, at: owner.path(key) + [JSONIndexKey(index)])
      }
    case .floats:
      try writeArray(unsafeBitCast(value, to: [Float].self), in: scope, level: level, owner: owner) {
        element, index in
        if element.isFinite { return scope.state.pointee.buffer.append(finite: element) }
        try writeUnusual(element, in: scope, at: owner.path(key) + [JSONIndexKey(index)])
      }
    default: try writeIntegers(of: value, as: kind, in: scope, owner: owner, level: level)
    }
  }

  private static func writeIntegers<Value: Encodable>(
    of value: Value, as kind: JSONValueKind, in scope: JSONScope, owner: JSONCoderNode, level: Int
  ) throws {
    func write<Integer: FixedWidthInteger>(_ type: [Integer].Type) throws {
      try self.write(integers: unsafeBitCast(value, to: type), in: scope, level: level, owner: owner)
    }
    switch kind {
    case .ints: try write([Int].self)
    case .int8s: try write([Int8].self)
    case .int16s: try write([Int16].self)
    case .int32s: try write([Int32].self)
    case .int64s: try write([Int64].self)
    case .uints: try write([UInt].self)
    case .uint8s: try write([UInt8].self)
    case .uint16s: try write([UInt16].self)
    case .uint32s: try write([UInt32].self)
    case .uint64s: try write([UInt64].self)
    default: break
    }
  }

  private static func write(
    date: Date, in scope: JSONScope, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    let strategy = scope.session.settings.dateEncodingStrategy
    switch strategy {
    case .secondsSince1970: try writeSeconds(date.timeIntervalSince1970, in: scope, owner: owner, key: key)
    case .millisecondsSince1970:
      try writeSeconds(1000 * date.timeIntervalSince1970, in: scope, owner: owner, key: key)
    case .iso8601: scope.state.pointee.buffer.append(iso8601: date)
    case .custom(let encode): try scope.within(owner: owner, level: level, key: key) { try encode(date, $0) }
    default:
      guard let formatter = strategy.formatter else {
        return try writeFloating(date.timeIntervalSinceReferenceDate, in: scope, owner: owner, key: key)
      }
      let text = formatter.string(from: date)
      scope.state.pointee.buffer.append(quoted: text, escapingSlashes: scope.session.escapesSlashes)
    }
  }

  /// Writes a date as a number.
  ///
  /// As in Foundation, infinity and NaN throw an error even if a strategy converts such numbers.
  private static func writeSeconds(
    _ value: Double, in scope: JSONScope, owner: JSONCoderNode, key: some CodingKey
  ) throws {
    guard value.isFinite else {
      return try writeUnusual(value, in: scope, at: owner.path(key), throwing: true)
    }
    scope.state.pointee.buffer.append(finite: value)
  }

  private static func write(
    data: Data, in scope: JSONScope, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    switch scope.session.settings.dataEncodingStrategy {
    case .base64:
      scope.state.pointee.buffer.append(base64: data, escapingSlashes: scope.session.escapesSlashes)
    case .deferredToData: try write(integers: data, in: scope, level: level, owner: owner)
    case .custom(let encode): try scope.within(owner: owner, level: level, key: key) { try encode(data, $0) }
    @unknown default: try scope.within(owner: owner, level: level, key: key) { try data.encode(to: $0) }
    }
  }

  private static func write(
    dictionary: some JSONStringDictionary, in scope: JSONScope, owner: JSONCoderNode, level: Int,
    key: some CodingKey
  ) throws {
    // With a key encoding strategy, Foundation omits the dictionary's own key from the paths of inner errors.
    if scope.session.keyNaming == nil {
      try scope.within(owner: owner, level: level, key: key) { try dictionary.write(into: $0) }
    } else {
      try scope.within(owner: owner, level: level, key: JSONNoKey()) { try dictionary.write(into: $0) }
    }
  }

  private static func write<Integers: Collection>(
    integers: Integers, in scope: JSONScope, level: Int, owner: JSONCoderNode
  ) throws where Integers.Element: FixedWidthInteger {
    try writeArray(integers, in: scope, level: level, owner: owner) { element, _ in
      scope.state.pointee.buffer.append(integer: element)
    }
  }

  @inline(__always)
  private static func writeArray<Elements: Collection>(
    _ elements: Elements, in scope: JSONScope, level: Int, owner: JSONCoderNode,
    element write: (Elements.Element, Int) throws -> Void
  ) throws {
    guard level < JSONWriting.maximumDepth else { throw scope.refusal(elements) }
    let isPretty = scope.session.isPretty
    scope.state.pointee.buffer.append(isPretty ? "[\n" : "[")
    var index = 0
    for element in elements {
      if index > 0 { scope.state.pointee.buffer.append(0x2C) }
      if isPretty { scope.state.pointee.buffer.appendIndent(level: level + 1, onNewLine: index > 0) }
      try write(element, index)
      index &+= 1
    }
    scope.state.pointee.buffer.close(0x5D, level: isPretty ? level : nil)
  }

  static func write<Value: Encodable>(
    members: some Sequence<(key: String, value: Value)>, in scope: JSONScope
  ) throws {
    try scope.open(.object)
    let isPlain = scope.session.keyNaming == nil
    for (key, value) in members {
      scope.startUniqueMember(key)
      // Without a key encoding strategy, error paths contain the keys that `Dictionary.encode(to:)` creates.
      let pathKey = isPlain ? JSONKey(ofDictionary: key) : JSONKey(stringValue: key)
      try write(value, in: scope, owner: scope, level: scope.level + 1, key: pathKey)
    }
  }
}

import Foundation

// Values into the text at its end. `owner`, `level` and `key` say of whom, how deep, and under which key a value is encoded.
extension JSONScope {
  /// Writes any value.
  @inline(__always)
  func write<Value: Encodable>(
    _ value: Value, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    if try writePrimitive(value, owner: owner, key: key) { return }
    let valueKind = state.pointee.kinds.kind(of: Value.self)
    if valueKind == .encodable {
      return try encodeWithin(value, owner: owner, level: level, key: key)
    }
    if try writeKnown(value, as: valueKind, owner: owner, level: level, key: key) { return }
    try within(owner: owner, level: level, key: key) { try value.encode(to: $0) }
  }

  /// Writes a value that is not written by its `encode(to:)`, or writes nothing and gives `false`.
  @inline(__always)
  func writeLeaf<Value: Encodable>(
    _ value: Value, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws -> Bool {
    if try writePrimitive(value, owner: owner, key: key) { return true }
    let valueKind = state.pointee.kinds.kind(of: Value.self)
    return try valueKind != .encodable
      && writeKnown(value, as: valueKind, owner: owner, level: level, key: key)
  }

  /// Strings, numbers and Booleans.
  ///
  /// Where the type is known when this is compiled, one line of it is left.
  @inline(__always)
  private func writePrimitive<Value>(
    _ value: Value, owner: JSONCoderNode, key: some CodingKey
  ) throws -> Bool {
    // The casts are between equal types each time.
    if Value.self == String.self {
      state.pointee.buffer.append(
        quoted: unsafeBitCast(value, to: String.self), escapingSlashes: session.escapesSlashes)
    } else if Value.self == Int.self {
      state.pointee.buffer.append(integer: unsafeBitCast(value, to: Int.self))
    } else if Value.self == Bool.self {
      state.pointee.buffer.append(unsafeBitCast(value, to: Bool.self) ? "true" : "false")
    } else if Value.self == Double.self {
      try writeFloating(unsafeBitCast(value, to: Double.self), owner: owner, key: key)
    } else if Value.self == Float.self {
      try writeFloating(unsafeBitCast(value, to: Float.self), owner: owner, key: key)
    } else if Value.self == JSONNull.self {
      state.pointee.buffer.append("null")
    } else {
      return writeSizedInteger(value)
    }
    return true
  }

  @inline(__always)
  private func writeSizedInteger<Value>(_ value: Value) -> Bool {
    @inline(__always)
    func write<Integer: FixedWidthInteger>(_ type: Integer.Type) {
      state.pointee.buffer.append(integer: unsafeBitCast(value, to: type))
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
  func writeFloating(_ value: Double, owner: JSONCoderNode, key: some CodingKey) throws {
    guard value.isFinite else { return try writeUnusual(value, at: owner.path(key)) }
    state.pointee.buffer.append(finite: value)
  }

  @inline(__always)
  func writeFloating(_ value: Float, owner: JSONCoderNode, key: some CodingKey) throws {
    guard value.isFinite else { return try writeUnusual(value, at: owner.path(key)) }
    state.pointee.buffer.append(finite: value)
  }

  /// A number that is infinite or none.
  @inline(never)
  private func writeUnusual(
    _ value: some BinaryFloatingPoint, at path: @autoclosure () -> [any CodingKey], throwing: Bool = false
  ) throws {
    if !throwing,
      case .convertToString(let positive, let negative, let nan) =
        session.settings.nonConformingFloatEncodingStrategy
    {
      let text = value.isNaN ? nan : value < 0 ? negative : positive
      return state.pointee.buffer.append(quoted: text, escapingSlashes: session.escapesSlashes)
    }
    let description = "Unable to encode \(type(of: value)).\(value) directly in JSON."
    throw EncodingError.invalidValue(value, .init(codingPath: path(), debugDescription: description))
  }
}

// Types of Foundation, arrays of primitives, dictionaries.
extension JSONScope {
  /// Writes a value of a kind with text of its own; `false` if there is none.
  @inline(never)
  private func writeKnown<Value: Encodable>(
    _ value: Value, as kind: JSONValueKind, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws -> Bool {
    // The kind was found by the type, so each cast is between equal types.
    switch kind {
    case .encodable, .primitive: return false
    case .numberText: state.pointee.buffer.append(plain: unsafeBitCast(value, to: JSONNumberText.self).text)
    case .date: try write(date: unsafeBitCast(value, to: Date.self), owner: owner, level: level, key: key)
    case .data: try write(data: unsafeBitCast(value, to: Data.self), owner: owner, level: level, key: key)
    case .url:
      let text = unsafeBitCast(value, to: URL.self).absoluteString
      state.pointee.buffer.append(quoted: text, escapingSlashes: session.escapesSlashes)
    case .decimal:
      let decimal = unsafeBitCast(value, to: Decimal.self)
      if decimal.isNaN {
        try writeUnusual(Double.nan, at: owner.path(key))
      } else {
        state.pointee.buffer.append(plain: decimal.description)
      }
    case .stringDictionary:
      guard let dictionary = value as? any JSONStringDictionary else { return false }
      try write(dictionary: dictionary, owner: owner, level: level, key: key)
    case .optionalStringDictionary:
      guard let dictionary = (value as? any JSONOptionalStringDictionary)?.dictionary else { return false }
      try write(dictionary: dictionary, owner: owner, level: level, key: key)
    default: try writeElements(of: value, as: kind, owner: owner, level: level, key: key)
    }
    return true
  }

  /// Writes an array of a primitive type.
  private func writeElements<Value: Encodable>(
    of value: Value, as kind: JSONValueKind, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    // Again each cast is between equal types.
    switch kind {
    case .strings:
      let escaping = session.escapesSlashes
      try writeArray(unsafeBitCast(value, to: [String].self), level: level, owner: owner) { element, _ in
        state.pointee.buffer.append(quoted: element, escapingSlashes: escaping)
      }
    case .bools:
      try writeArray(unsafeBitCast(value, to: [Bool].self), level: level, owner: owner) { element, _ in
        state.pointee.buffer.append(element ? "true" : "false")
      }
    case .doubles:
      try writeArray(unsafeBitCast(value, to: [Double].self), level: level, owner: owner) { element, index in
        if element.isFinite { return state.pointee.buffer.append(finite: element) }
        try writeUnusual(element, at: owner.path(key) + [JSONIndexKey(index)])
      }
    case .floats:
      try writeArray(unsafeBitCast(value, to: [Float].self), level: level, owner: owner) { element, index in
        if element.isFinite { return state.pointee.buffer.append(finite: element) }
        try writeUnusual(element, at: owner.path(key) + [JSONIndexKey(index)])
      }
    case .ints: try write(integers: unsafeBitCast(value, to: [Int].self), level: level, owner: owner)
    case .int8s: try write(integers: unsafeBitCast(value, to: [Int8].self), level: level, owner: owner)
    case .int16s: try write(integers: unsafeBitCast(value, to: [Int16].self), level: level, owner: owner)
    case .int32s: try write(integers: unsafeBitCast(value, to: [Int32].self), level: level, owner: owner)
    case .int64s: try write(integers: unsafeBitCast(value, to: [Int64].self), level: level, owner: owner)
    case .uints: try write(integers: unsafeBitCast(value, to: [UInt].self), level: level, owner: owner)
    case .uint8s: try write(integers: unsafeBitCast(value, to: [UInt8].self), level: level, owner: owner)
    case .uint16s: try write(integers: unsafeBitCast(value, to: [UInt16].self), level: level, owner: owner)
    case .uint32s: try write(integers: unsafeBitCast(value, to: [UInt32].self), level: level, owner: owner)
    case .uint64s: try write(integers: unsafeBitCast(value, to: [UInt64].self), level: level, owner: owner)
    default: break
    }
  }

  private func write(
    date: Date, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    let strategy = session.settings.dateEncodingStrategy
    switch strategy {
    case .secondsSince1970: try writeSeconds(date.timeIntervalSince1970, owner: owner, key: key)
    case .millisecondsSince1970: try writeSeconds(1000 * date.timeIntervalSince1970, owner: owner, key: key)
    case .iso8601: state.pointee.buffer.append(iso8601: date)
    case .custom(let encode): try within(owner: owner, level: level, key: key) { try encode(date, $0) }
    default:
      guard let formatter = strategy.formatter else {
        return try writeFloating(date.timeIntervalSinceReferenceDate, owner: owner, key: key)
      }
      let text = formatter.string(from: date)
      state.pointee.buffer.append(quoted: text, escapingSlashes: session.escapesSlashes)
    }
  }

  /// Seconds are never written as the text for infinite numbers, as in Foundation.
  private func writeSeconds(_ value: Double, owner: JSONCoderNode, key: some CodingKey) throws {
    guard value.isFinite else { return try writeUnusual(value, at: owner.path(key), throwing: true) }
    state.pointee.buffer.append(finite: value)
  }

  private func write(
    data: Data, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    switch session.settings.dataEncodingStrategy {
    case .base64: state.pointee.buffer.append(base64: data, escapingSlashes: session.escapesSlashes)
    case .deferredToData: try write(integers: data, level: level, owner: owner)
    case .custom(let encode): try within(owner: owner, level: level, key: key) { try encode(data, $0) }
    @unknown default: try within(owner: owner, level: level, key: key) { try data.encode(to: $0) }
    }
  }

  private func write(
    dictionary: some JSONStringDictionary, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    // With a strategy for keys Foundation leaves the key of the dictionary itself out of the paths in it.
    if session.keyNaming == nil {
      try within(owner: owner, level: level, key: key) { try dictionary.write(into: $0) }
    } else {
      try within(owner: owner, level: level, key: JSONNoKey()) { try dictionary.write(into: $0) }
    }
  }

  private func write<Integers: Collection>(
    integers: Integers, level: Int, owner: JSONCoderNode
  ) throws where Integers.Element: FixedWidthInteger {
    try writeArray(integers, level: level, owner: owner) { element, _ in
      state.pointee.buffer.append(integer: element)
    }
  }

  /// An array without a container for its elements.
  @inline(__always)
  private func writeArray<Elements: Collection>(
    _ elements: Elements, level: Int, owner: JSONCoderNode,
    element write: (Elements.Element, Int) throws -> Void
  ) throws {
    guard level < JSONWriting.maximumDepth else { throw refusal(elements) }
    let isPretty = session.isPretty
    state.pointee.buffer.append(isPretty ? "[\n" : "[")
    var index = 0
    for element in elements {
      if index > 0 { state.pointee.buffer.append(0x2C) }
      if isPretty { state.pointee.buffer.appendIndent(level: level + 1, onNewLine: index > 0) }
      try write(element, index)
      index &+= 1
    }
    state.pointee.buffer.close(0x5D, level: isPretty ? level : nil)
  }
}

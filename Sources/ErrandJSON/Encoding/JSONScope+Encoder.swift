import Foundation

extension JSONScope: Encoder {
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if kind == .empty, isOnTop { try? open(.object) }
    switch kind {
    case .object, .refused, .closed: return KeyedEncodingContainer(JSONKeyedContainer<Key>(scope: self))
    case .empty, .single, .array, .tree: return makeTree().container(keyedBy: type)
    }
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if kind == .empty, isOnTop { try? open(.array) }
    switch kind {
    case .array, .refused, .closed: return JSONUnkeyedContainer(scope: self)
    case .empty, .single, .object, .tree: return makeTree().unkeyedContainer()
    }
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONScope: SingleValueEncodingContainer, JSONNumberTextContainer {
  func encodeNil() throws {
    guard try mayEncodeValue() else { return }
    state.pointee.buffer.append("null")
    kind = .single
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    guard try mayEncodeValue() else { return try encodeIntoContainer(value) }
    let mark = state.pointee.buffer.count
    do {
      if try JSONValueWriter.writeLeaf(value, in: self, owner: self, level: level, key: JSONNoKey()) {
        kind = .single
        return
      }
      try forward(value, to: self)
      if kind == .empty {
        try within(owner: self, level: level, key: JSONNoKey()) { _ in }
        kind = .single
      }
    } catch {
      forget(to: mark)
      throw error
    }
  }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) throws { try encodeNumber(text: value.description) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) throws { try encodeNumber(text: value.description) }

  func encodeNumber(text: String) throws {
    guard try mayEncodeValue() else { return }
    state.pointee.buffer.append(plain: text)
    kind = .single
  }

  @inline(__always)
  private func mayEncodeValue() throws -> Bool {
    if kind == .empty, isOnTop { return true }
    return try mayEncodeLater()
  }

  @inline(never)
  private func mayEncodeLater() throws -> Bool {
    switch kind {
    case .single: throw secondValue(at: codingPath)
    case .refused: throw refusal(nil)
    case .empty, .object, .array, .tree, .closed: return false
    }
  }

  /// Adds members or elements to an open container.
  ///
  /// A value such as a string is ignored.
  private func encodeIntoContainer<Value: Encodable>(_ value: Value) throws {
    switch kind {
    case .tree: try makeTree().encode(value)
    case .object, .array: if addsToContainers(Value.self) { try forward(value, to: self) }
    case .empty, .single, .refused, .closed: break
    }
  }

  func addsToContainers(_ type: Any.Type) -> Bool {
    switch JSONValueKind.of(type, size: MemoryLayout<Int>.size) {
    case .encodable: true
    case .primitive, .date, .data, .url, .decimal, .numberText: false
    case .stringDictionary, .optionalStringDictionary: session.keyNaming == nil
    default: true
    }
  }

  func secondValue(at path: [any CodingKey]) -> EncodingError {
    let description = "A second value was encoded in a single-value container."
    return .invalidValue("a second value", .init(codingPath: path, debugDescription: description))
  }

  @inline(__always)
  func forward(_ value: some Encodable, to encoder: some Encoder) throws {
    state.pointee.forwards &+= 1
    defer { state.pointee.forwards &-= 1 }
    let depth = state.pointee.depth &+ state.pointee.forwards
    if depth > StackRoom.freeLevels { try checkDepth(value) }
    try value.encode(to: encoder)
  }
}

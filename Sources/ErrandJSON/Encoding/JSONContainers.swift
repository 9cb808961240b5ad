struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let scope: JSONScope

  var codingPath: [any CodingKey] { scope.codingPath }

  @inline(__always)
  private func name(of key: some CodingKey) -> String {
    guard let naming = scope.session.keyNaming else { return key.stringValue }
    return naming.name(of: key, path: { scope.codingPath })
  }

  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let scope = scope
    guard scope.isWriting(.object) else { return try encodeElsewhere(value, forKey: key) }
    let name = name(of: key)
    let mark = scope.state.pointee.buffer.count
    guard scope.startMember(name) else { return try encodeElsewhere(value, forKey: key) }
    let start = scope.state.pointee.buffer.count
    do {
      try JSONValueWriter.write(value, in: scope, owner: scope, level: scope.level &+ 1, key: key)
    } catch {
      if scope.kind == .object { scope.undo(name, to: mark) }
      throw error
    }
    if scope.kind != .object {
      scope.tree?.rootNode?.set(.text(start..<scope.state.pointee.buffer.count), for: name)
    }
  }

  func encodeNil(forKey key: Key) throws { try encode(JSONNull(), forKey: key) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128, forKey key: Key) throws {
    try encode(JSONNumberText(text: value.description), forKey: key)
  }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128, forKey key: Key) throws {
    try encode(JSONNumberText(text: value.description), forKey: key)
  }

  @inline(never)
  private func encodeElsewhere<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    switch scope.kind {
    case .refused: throw scope.refusal(value)
    case .object, .tree: try scope.makeTree().keyed(by: Key.self).encode(value, forKey: key)
    case .empty, .single, .array, .closed: break
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    pieces.nestedContainer(keyedBy: type, forKey: key)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    pieces.nestedUnkeyedContainer(forKey: key)
  }

  func superEncoder() -> any Encoder { pieces.superEncoder() }

  func superEncoder(forKey key: Key) -> any Encoder { pieces.superEncoder(forKey: key) }

  private var pieces: JSONTreeKeyedContainer<Key> {
    switch scope.kind {
    case .object, .tree: scope.makeTree().keyed(by: Key.self)
    case .empty, .single, .array, .refused, .closed: .detached(JSONTreeEncoder(of: scope))
    }
  }
}

struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
  let scope: JSONScope

  var codingPath: [any CodingKey] { scope.codingPath }

  var count: Int { scope.kind == .array ? scope.count : scope.tree?.rootNode?.count ?? 0 }

  @inline(__always)
  func encode<Value: Encodable>(_ value: Value) throws {
    let scope = scope
    guard scope.isWriting(.array) else { return try encodeElsewhere(value) }
    let mark = scope.state.pointee.buffer.count
    scope.startElement()
    let start = scope.state.pointee.buffer.count
    do {
      try JSONValueWriter.write(
        value, in: scope, owner: scope, level: scope.level &+ 1, key: JSONIndexKey(scope.count &- 1))
    } catch {
      if scope.kind == .array { scope.undo(to: mark) }
      throw error
    }
    if scope.kind != .array {
      scope.tree?.rootNode?.append(.text(start..<scope.state.pointee.buffer.count))
    }
  }

  func encodeNil() throws { try encode(JSONNull()) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) throws { try encode(JSONNumberText(text: value.description)) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) throws { try encode(JSONNumberText(text: value.description)) }

  @inline(never)
  private func encodeElsewhere<Value: Encodable>(_ value: Value) throws {
    switch scope.kind {
    case .refused: throw scope.refusal(value)
    case .array, .tree: try scope.makeTree().unkeyed().encode(value)
    case .empty, .single, .object, .closed: break
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    pieces.nestedContainer(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { pieces.nestedUnkeyedContainer() }

  func superEncoder() -> any Encoder { pieces.superEncoder() }

  private var pieces: JSONTreeUnkeyedContainer {
    switch scope.kind {
    case .array, .tree: scope.makeTree().unkeyed()
    case .empty, .single, .object, .refused, .closed: .detached(JSONTreeEncoder(of: scope))
    }
  }
}

struct JSONTreeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let tree: JSONTreeEncoder
  let node: JSONTreeNode
  let path: [any CodingKey]

  var codingPath: [any CodingKey] { tree.codingPath + path }

  /// Returns a container whose members are not written to the text.
  static func detached(_ tree: JSONTreeEncoder) -> JSONTreeKeyedContainer {
    JSONTreeKeyedContainer(tree: tree, node: JSONTreeNode(isObject: true, level: tree.level), path: [])
  }

  private func name(of key: some CodingKey) -> String {
    guard let naming = tree.session.keyNaming else { return key.stringValue }
    return naming.name(of: key, path: { codingPath })
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if let piece = try tree.piece(of: value, level: node.level + 1, key: key) {
      node.set(piece, for: name(of: key))
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

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let (nested, path) = open(key, isObject: true)
    return KeyedEncodingContainer(JSONTreeKeyedContainer<NestedKey>(tree: tree, node: nested, path: path))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let (nested, path) = open(key, isObject: false)
    return JSONTreeUnkeyedContainer(tree: tree, node: nested, path: path)
  }

  private func open(_ key: Key, isObject: Bool) -> (JSONTreeNode, [any CodingKey]) {
    if tree.session.state.pointee.hasProblem {
      return (JSONTreeNode(isObject: isObject, level: node.level), path)
    }
    let name = name(of: key)
    let path = self.path + [key]
    let existing = node.piece(for: name)
    guard let nested = tree.node(in: existing, isObject: isObject, level: node.level + 1, path: path) else {
      // The session has recorded a problem, so the new node stays outside the tree.
      return (JSONTreeNode(isObject: isObject, level: node.level), self.path)
    }
    node.set(.node(nested), for: name)
    return (nested, path)
  }

  func superEncoder() -> any Encoder { superEncoder(for: JSONKey.super) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(for: key) }

  private func superEncoder(for key: some CodingKey) -> any Encoder {
    let encoder = JSONTreeEncoder(in: tree, key: key, level: node.level + 1)
    node.set(.encoder(encoder), for: name(of: key))
    return encoder
  }
}

struct JSONTreeUnkeyedContainer: UnkeyedEncodingContainer {
  let tree: JSONTreeEncoder
  let node: JSONTreeNode
  let path: [any CodingKey]

  var codingPath: [any CodingKey] { tree.codingPath + path }

  var count: Int { node.count }

  static func detached(_ tree: JSONTreeEncoder) -> JSONTreeUnkeyedContainer {
    JSONTreeUnkeyedContainer(tree: tree, node: JSONTreeNode(isObject: false, level: tree.level), path: [])
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let piece = try tree.piece(of: value, level: node.level + 1, key: JSONIndexKey(node.count)) {
      node.append(piece)
    }
  }

  func encodeNil() throws { try encode(JSONNull()) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) throws { try encode(JSONNumberText(text: value.description)) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) throws { try encode(JSONNumberText(text: value.description)) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let (nested, path) = open(isObject: true)
    return KeyedEncodingContainer(JSONTreeKeyedContainer<NestedKey>(tree: tree, node: nested, path: path))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let (nested, path) = open(isObject: false)
    return JSONTreeUnkeyedContainer(tree: tree, node: nested, path: path)
  }

  private func open(isObject: Bool) -> (JSONTreeNode, [any CodingKey]) {
    if tree.session.state.pointee.hasProblem {
      return (JSONTreeNode(isObject: isObject, level: node.level), path)
    }
    let path = self.path + [JSONIndexKey(node.count)]
    guard let nested = tree.node(in: nil, isObject: isObject, level: node.level + 1, path: path) else {
      return (JSONTreeNode(isObject: isObject, level: node.level), self.path)
    }
    node.append(.node(nested))
    return (nested, path)
  }

  func superEncoder() -> any Encoder {
    let encoder = JSONTreeEncoder(in: tree, key: JSONIndexKey(node.count), level: node.level + 1)
    node.append(.encoder(encoder))
    return encoder
  }
}

/// An encoder that collects a value in a tree until the scope finishes; see ``JSONScope``.
final class JSONTreeEncoder: JSONCoderNode {
  let host: JSONScope
  let level: Int
  private(set) var root: JSONPiece?
  /// The super encoders; a reference cycle until ``dismantle()``.
  ///
  /// Filled only in the tree encoder that the scope holds as `tree`; empty in super encoders.
  private var superEncoders: [JSONTreeEncoder] = []

  init(of host: JSONScope, root: JSONPiece? = nil) {
    self.host = host
    self.root = root
    level = host.level
    super.init(session: host.session, owner: host, key: nil)
  }

  convenience init(of host: JSONScope, upTo end: Int, elementCount: Int) {
    let root: JSONPiece? =
      switch host.kind {
      case .object: .node(Self.objectNode(of: host, upTo: end))
      case .array: .node(Self.arrayNode(of: host, upTo: end, count: elementCount))
      case .single: .text(host.start..<end)
      case .empty, .tree, .refused, .closed: nil
      }
    self.init(of: host, root: root)
  }

  private static func objectNode(of scope: JSONScope, upTo end: Int) -> JSONTreeNode {
    let node = JSONTreeNode(isObject: true, level: scope.level)
    let (colon, separator) = scope.session.isPretty ? (3, 2 + 2 * (scope.level + 1)) : (1, 1)
    let all = (scope.firstMember..<scope.state.pointee.members.count).map { scope.state.pointee.members[$0] }
    let members = all.filter { $0.key < end }
    for (index, member) in members.enumerated() {
      let start = member.range.upperBound + 1 + colon
      let stop = index + 1 == members.count ? end : members[index + 1].key - 1 - separator
      node.set(.text(start..<stop), for: member.name(in: scope.state))
    }
    return node
  }

  private static func arrayNode(of scope: JSONScope, upTo end: Int, count: Int) -> JSONTreeNode {
    let node = JSONTreeNode(isObject: false, level: scope.level)
    let first = scope.start + (scope.session.isPretty ? 2 + 2 * (scope.level + 1) : 1)
    if count > 0 { node.append(.elements(first..<end, count: count)) }
    return node
  }

  init(in tree: JSONTreeEncoder, key: any CodingKey, level: Int) {
    host = tree.host
    self.level = level
    super.init(session: tree.session, owner: tree, key: key)
    if host.kind == .tree { host.tree?.superEncoders.append(self) }
  }

  func dismantle() {
    for encoder in superEncoders { encoder.root = nil }
    superEncoders = []
    root = nil
  }

  var rootNode: JSONTreeNode? {
    if case .node(let node) = root { node } else { nil }
  }

  func piece(of value: some Encodable, level: Int, key: some CodingKey) throws -> JSONPiece? {
    if host.kind == .refused { throw host.refusal(value) }
    guard host.kind == .tree else { return nil }
    if host.state.pointee.hasProblem { throw host.refusal(value) }
    let start = host.state.pointee.buffer.count
    do {
      if host.isOnTop {
        try JSONValueWriter.write(value, in: host, owner: self, level: level, key: key)
      } else {
        try host.interrupting {
          try JSONValueWriter.write(value, in: host, owner: self, level: level, key: key)
        }
      }
    } catch {
      host.state.pointee.buffer.cut(to: start)
      throw error
    }
    let end = host.state.pointee.buffer.count
    if host.isOnTop { return .text(start..<end) }
    // A nested value is being written at the end of the text, so the bytes move out of the buffer.
    defer { host.state.pointee.buffer.cut(to: start) }
    return .bytes(host.state.pointee.buffer.withBytes(start..<end) { Array($0) })
  }

  func flatten(from start: Int) {
    host.state.pointee.scratch.cut(to: 0)
    copy(root ?? .node(JSONTreeNode(isObject: true, level: level)))
    host.state.pointee.buffer.replace(from: start, with: host.state.pointee.scratch)
  }

  private func copy(_ piece: JSONPiece) {
    switch piece {
    case .text(let range), .elements(let range, _):
      host.state.pointee.buffer.withBytes(range) { host.state.pointee.scratch.append($0) }
    case .bytes(let bytes): bytes.withUnsafeBufferPointer { host.state.pointee.scratch.append($0) }
    case .encoder(let tree): copy(tree.root ?? .node(JSONTreeNode(isObject: true, level: tree.level)))
    case .node(let node): copy(node)
    }
  }

  private func copy(_ node: JSONTreeNode) {
    guard StackRoom.isEnough(at: node.level) else {
      // The scope's `finish()` throws the error.
      return _ = session.refuseDepth(of: "", at: [], as: .stack)
    }
    let isPretty = session.isPretty
    let state = host.state
    state.pointee.scratch.append(node.isObject ? 0x7B : 0x5B)
    if isPretty { state.pointee.scratch.append(0x0A) }
    var parts = node.parts
    if node.isObject, session.sortsKeys, parts.count > 1 {
      parts.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    for (index, part) in parts.enumerated() {
      if index > 0 { state.pointee.scratch.append(0x2C) }
      if isPretty { state.pointee.scratch.appendIndent(level: node.level + 1, onNewLine: index > 0) }
      if node.isObject {
        state.pointee.scratch.append(quoted: part.name, escapingSlashes: session.escapesSlashes)
        state.pointee.scratch.append(isPretty ? " : " : ":")
      }
      copy(part.piece)
    }
    state.pointee.scratch.close(node.isObject ? 0x7D : 0x5D, level: isPretty ? node.level : nil)
  }
}

extension JSONTreeEncoder: Encoder {
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(keyed(by: type))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { unkeyed() }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func keyed<Key: CodingKey>(by type: Key.Type) -> JSONTreeKeyedContainer<Key> {
    JSONTreeKeyedContainer(tree: self, node: openRoot(isObject: true), path: [])
  }

  func unkeyed() -> JSONTreeUnkeyedContainer {
    JSONTreeUnkeyedContainer(tree: self, node: openRoot(isObject: false), path: [])
  }

  private func openRoot(isObject: Bool) -> JSONTreeNode {
    let node = node(in: root, isObject: isObject, level: level, path: [])
    if let node, host.kind == .tree { root = .node(node) }
    return node ?? JSONTreeNode(isObject: isObject, level: level)
  }

  /// Returns the node of `piece`, or a new node if `piece` is `nil`.
  ///
  /// Returns `nil` after a problem.
  func node(in piece: JSONPiece?, isObject: Bool, level: Int, path: [any CodingKey]) -> JSONTreeNode? {
    if host.state.pointee.hasProblem { return nil }
    guard level < JSONWriting.maximumDepth else {
      _ = session.refuseDepth(of: "", at: codingPath + path)
      return nil
    }
    guard let piece else { return JSONTreeNode(isObject: isObject, level: level) }
    let node = JSONWrittenText.node(of: piece, level: level, in: self)
    if let node, node.isObject == isObject { return node }
    session.refuse(
      "An \(isObject ? "object" : "array") container was requested in place of another value.",
      at: codingPath + path)
    return nil
  }
}

extension JSONTreeEncoder: SingleValueEncodingContainer, JSONNumberTextContainer {
  func encodeNil() throws { try encode(JSONNull()) }

  func encodeNumber(text: String) throws { try encode(JSONNumberText(text: text)) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) throws { try encode(JSONNumberText(text: value.description)) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) throws { try encode(JSONNumberText(text: value.description)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    let isLeaf = host.state.pointee.kinds.kind(of: Value.self) != .encodable
    switch root {
    case nil: break
    case .node:
      return host.addsToContainers(Value.self) ? try host.forward(value, to: self) : ()
    case .text, .bytes, .elements, .encoder: throw host.secondValue(at: codingPath)
    }
    if isLeaf {
      root = try piece(of: value, level: level, key: JSONNoKey())
      return
    }
    do {
      try host.forward(value, to: self)
    } catch {
      root = nil
      throw error
    }
    if root == nil { _ = openRoot(isObject: true) }
  }
}

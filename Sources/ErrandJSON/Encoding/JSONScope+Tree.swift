// The change to pieces.
extension JSONScope {
  /// The tree, made of what is there so far if this is the first time.
  func makeTree() -> JSONTree {
    if let tree { return tree }
    // A member that is being encoded now is added when it is done.
    let isPending = !isOnTop && !isInterrupted
    let end = isOnTop ? state.pointee.buffer.count : committed
    let root: JSONPiece? =
      switch kind {
      case .object: .node(objectNode(upTo: end))
      case .array: .node(arrayNode(upTo: end, isPending ? count - 1 : count))
      case .single: .text(start..<end)
      case .empty, .tree, .refused, .closed: nil
      }
    let tree = JSONTree(of: self, root: root)
    self.tree = tree
    kind = .tree
    return tree
  }

  private func objectNode(upTo end: Int) -> JSONTreeNode {
    let node = JSONTreeNode(isObject: true, level: level)
    let (colon, separator) = session.isPretty ? (3, 2 + 2 * (level + 1)) : (1, 1)
    let all = (firstMember..<state.pointee.members.count).map { state.pointee.members[$0] }
    let members = all.filter { $0.key < end }
    for (index, member) in members.enumerated() {
      let start = member.range.upperBound + 1 + colon
      let stop = index + 1 == members.count ? end : members[index + 1].key - 1 - separator
      node.set(.text(start..<stop), for: member.name(in: state))
    }
    return node
  }

  private func arrayNode(upTo end: Int, _ count: Int) -> JSONTreeNode {
    let node = JSONTreeNode(isObject: false, level: level)
    let first = start + (session.isPretty ? 2 + 2 * (level + 1) : 1)
    if count > 0 { node.append(.elements(first..<end, count: count)) }
    return node
  }
}

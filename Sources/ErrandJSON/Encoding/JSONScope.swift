/// An encoder that appends a value to the JSON text.
///
/// For nested containers, repeated keys and some rare cases, a ``JSONTreeEncoder`` collects the value.
final class JSONScope: JSONCoderNode {
  enum Kind: UInt8 {
    case empty
    case single
    case object, array
    case tree
    /// The value is nested too deeply; encoding into the scope throws.
    case refused
    /// The scope is not in use; writes are ignored.
    case closed
  }

  let state: UnsafeMutablePointer<JSONWritingSession.State>
  var kind = Kind.closed
  private(set) var level = 0
  /// The number of members or elements, including an unfinished member or element.
  private(set) var count = 0
  var tree: JSONTreeEncoder?
  private var depth = 0
  private(set) var start = 0
  private(set) var firstMember = 0
  private(set) var committed = 0
  /// True while an outer scope writes, although the value of this nested scope is unfinished.
  private(set) var isInterrupted = false
  /// A Bloom filter of the hashes of plain ASCII names.
  private var nameBits: UInt64 = 0
  /// The names of the members; valid if ``keepsNames`` is true.
  private var names: Set<String> = []
  private var keepsNames = false

  init(_ session: JSONWritingSession) {
    state = session.state
    super.init(session: session, owner: nil, key: nil)
  }

  @inline(__always)
  func isWriting(_ container: Kind) -> Bool { kind == container && state.pointee.depth == depth }

  var isOnTop: Bool { state.pointee.depth == depth }
}

extension JSONScope {
  @inline(__always)
  func begin(owner: JSONCoderNode?, key: some CodingKey, level: Int) {
    self.owner = owner
    set(key)
    self.level = level
    nameBits = 0
    kind = .empty
    count = 0
    depth = state.pointee.depth &+ 1
    state.pointee.depth = depth
    start = state.pointee.buffer.count
    firstMember = state.pointee.members.count
  }

  @inline(__always)
  func finish() throws {
    if kind == .empty { try open(.object) }
    switch kind {
    case .object:
      if session.sortsKeys, count > 1 { sortMembers() }
      state.pointee.buffer.close(0x7D, level: session.isPretty ? level : nil)
    case .array: state.pointee.buffer.close(0x5D, level: session.isPretty ? level : nil)
    case .tree: tree?.flatten(from: start)
    case .empty, .single, .refused, .closed: break
    }
    abandon()
    if state.pointee.hasProblem { throw refusal(nil) }
  }

  @inline(__always)
  func abandon() {
    if keepsNames { forgetNames() }
    if tree != nil { dropTree() }
    state.pointee.members.cut(to: firstMember)
    state.pointee.depth = depth &- 1
    kind = .closed
    owner = nil
  }

  @inline(__always)
  func within(
    owner: JSONCoderNode, level: Int, key: some CodingKey, _ body: (JSONScope) throws -> Void
  ) throws {
    let scope = makeScope()
    scope.begin(owner: owner, key: key, level: level)
    do {
      if scope.depth &+ state.pointee.forwards > StackRoom.freeLevels { try checkDepth(nil) }
      try body(scope)
      try scope.finish()
    } catch {
      scope.abandon()
      throw error
    }
  }

  /// Like `within`, but without a closure, for speed.
  @inline(__always)
  func encodeWithin(
    _ value: some Encodable, owner: JSONCoderNode, level: Int, key: some CodingKey
  ) throws {
    let scope = makeScope()
    scope.begin(owner: owner, key: key, level: level)
    do {
      if scope.depth &+ state.pointee.forwards > StackRoom.freeLevels { try checkDepth(nil) }
      try value.encode(to: scope)
      try scope.finish()
    } catch {
      scope.abandon()
      throw error
    }
  }

  /// Runs `body`, which encodes a value of the scope, while the value of a nested scope is unfinished.
  func interrupting(_ body: () throws -> Void) rethrows {
    let top = state.pointee.scopes[state.pointee.depth - 2]
    (top.isInterrupted, top.committed) = (true, state.pointee.buffer.count)
    defer { top.isInterrupted = false }
    try body()
  }

  @inline(__always)
  private func makeScope() -> JSONScope {
    let place = state.pointee.depth &- 1
    // A scope with further references is not reused, because a user's code may still use the scope.
    if place < state.pointee.scopes.count, isKnownUniquelyReferenced(&state.pointee.scopes[place]) {
      return state.pointee.scopes[place]
    }
    return addScope(at: place)
  }

  @inline(never)
  private func addScope(at place: Int) -> JSONScope {
    let scope = JSONScope(session)
    if place < state.pointee.scopes.count {
      state.pointee.scopes[place] = scope
    } else {
      state.pointee.scopes.append(scope)
    }
    return scope
  }

  @inline(never)
  private func dropTree() {
    tree?.dismantle()
    tree = nil
  }

  @inline(never)
  private func forgetNames() { (names, keepsNames) = ([], false) }

  @inline(never)
  func checkDepth(_ value: Any?) throws {
    if state.pointee.depth &+ state.pointee.forwards > JSONWriting.maximumValueDepth { throw refusal(value) }
    if !StackRoom.isEnough { throw refusal(value, as: .stack) }
  }

  @inline(never)
  func refusal(_ value: Any?, as problem: JSONWritingProblem = .depth) -> any Error {
    if case .misuse(let error) = session.problem { return error }
    return session.refuseDepth(of: value ?? "", at: codingPath, as: problem)
  }
}

extension JSONScope {
  @inline(__always)
  func open(_ container: Kind) throws {
    guard level < JSONWriting.maximumDepth else {
      kind = .refused
      throw refusal(nil)
    }
    kind = container
    state.pointee.buffer.append(container == .object ? 0x7B : 0x5B)
    if session.isPretty { state.pointee.buffer.append(0x0A) }
  }

  /// Starts a member.
  ///
  /// For a repeated name, returns `false` and leaves the text unchanged.
  @inline(__always)
  func startMember(_ name: String) -> Bool {
    let mark = state.pointee.buffer.count
    separate()
    var name = name
    let isNew = name.withUTF8 { bytes in
      guard let hash = state.pointee.buffer.append(plainKey: bytes) else { return startUnusualMember(bytes) }
      let key = state.pointee.buffer.count &- bytes.count &- 1
      let member = JSONMember(key: key, length: bytes.count, hash: hash)
      let bit = 1 as UInt64 &<< UInt64(truncatingIfNeeded: hash & 63)
      if nameBits & bit != 0 || keepsNames, !isNewName(member) { return false }
      nameBits |= bit
      state.pointee.members.push(member)
      return true
    }
    guard isNew else {
      takeBack(to: mark)
      return false
    }
    committed = mark
    endName()
    return true
  }

  @inline(never)
  private func isNewName(_ member: JSONMember) -> Bool {
    if !keepsNames, let isNew = JSONMemberNames.isNew(member, after: firstMember, in: state) { return isNew }
    return insert(member.name(in: state))
  }

  private func insert(_ name: String) -> Bool {
    if !keepsNames { (names, keepsNames) = (JSONMemberNames.all(after: firstMember, in: state), true) }
    return names.insert(name).inserted
  }

  /// Starts a member with a name that is not plain ASCII.
  ///
  /// The names are compared as strings, because equal strings may have different bytes.
  @inline(never)
  private func startUnusualMember(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard insert(String(decoding: bytes, as: UTF8.self)) else { return false }
    pushUnusualMember(bytes)
    return true
  }

  private func pushUnusualMember(_ bytes: UnsafeBufferPointer<UInt8>) {
    let key = state.pointee.buffer.count + 1
    state.pointee.buffer.append(quoted: bytes, escapingSlashes: session.escapesSlashes)
    let length = state.pointee.buffer.count - key - 1
    state.pointee.members.push(JSONMember(key: key, length: length, hash: 0))
  }

  @inline(__always)
  func startUniqueMember(_ name: String) {
    separate()
    if session.sortsKeys {
      var name = name
      name.withUTF8 { pushUnusualMember($0) }
    } else {
      state.pointee.buffer.append(quoted: name, escapingSlashes: session.escapesSlashes)
    }
    endName()
  }

  @inline(__always)
  func startElement() {
    committed = state.pointee.buffer.count
    separate()
  }

  func forget(to mark: Int) {
    guard isOnTop, kind != .refused else { return }
    state.pointee.buffer.cut(to: mark)
    state.pointee.members.cut(to: firstMember)
    (kind, count, nameBits) = (.empty, 0, 0)
    dropTree()
    forgetNames()
  }

  @inline(never)
  func undo(_ name: String? = nil, to mark: Int) {
    takeBack(to: mark)
    guard let name else { return }
    state.pointee.members.cut(to: state.pointee.members.count - 1)
    if keepsNames { names.remove(name) }
  }

  private func takeBack(to mark: Int) {
    state.pointee.buffer.cut(to: mark)
    count -= 1
  }

  @inline(__always)
  private func separate() {
    if count > 0 { state.pointee.buffer.append(0x2C) }
    count &+= 1
    if session.isPretty { state.pointee.buffer.appendIndent(level: level + 1, onNewLine: count > 1) }
  }

  @inline(__always)
  private func endName() {
    if session.isPretty { state.pointee.buffer.append(" : ") } else { state.pointee.buffer.append(0x3A) }
  }

  @inline(never)
  private func sortMembers() {
    let separator = session.isPretty ? 2 + 2 * (level + 1) : 1
    JSONMemberSorting.sort(after: firstMember, separator: separator, in: state)
  }
}

extension JSONScope {
  func makeTree() -> JSONTreeEncoder {
    if let tree { return tree }
    // A member or element still being encoded joins the tree when the value is complete.
    let isPending = !isOnTop && !isInterrupted
    let end = isOnTop ? state.pointee.buffer.count : committed
    let tree = JSONTreeEncoder(of: self, upTo: end, elementCount: isPending ? count - 1 : count)
    self.tree = tree
    kind = .tree
    return tree
  }
}

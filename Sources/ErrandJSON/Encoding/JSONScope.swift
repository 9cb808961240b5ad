/// The encoder of one value, which writes into the text at its end.
///
/// Scopes are a stack: the scope of a value in this one is begun, and finished, while this one waits for it. As long as a value uses one
/// container, and writes into it while it is on top, the text is written in place. With anything else, such as nested containers and super
/// encoders, a key twice, or writing while a value within is being encoded, the scope becomes a ``JSONTree``: then the text since its start
/// is only a store of pieces, which are put in order when the scope is finished.
final class JSONScope: JSONCoderNode {
  enum Kind: UInt8 {
    /// Nothing was encoded.
    case empty
    /// A value was encoded that is not open for more.
    case single
    /// An object or array that is written in place, and is open.
    case object, array
    /// Pieces in a ``JSONTree``.
    case tree
    /// Something too deep; writing into it throws.
    case refused
    /// The value is done. What is written later is ignored, as nobody would read it.
    case closed
  }

  let state: UnsafeMutablePointer<JSONWritingSession.State>
  var kind = Kind.closed
  /// The number of containers around the value.
  private(set) var level = 0
  /// The number of members or elements, the one that is being encoded included.
  private(set) var count = 0
  var tree: JSONTree?
  private var depth = 0
  private(set) var start = 0
  private(set) var firstMember = 0
  /// Where the last member or element ended before the one that is being encoded, if one is, or before what interrupts.
  private(set) var committed = 0
  /// Whether a value of an outer scope is being encoded on top of this one, which encodes none.
  private(set) var isInterrupted = false
  /// A bit for each hash of a plain name that was met: where its bit is not set a name is new.
  private var nameBits: UInt64 = 0
  /// All names, once there are many, or one is not plain ASCII.
  private var names: Set<String> = []
  private var keepsNames = false

  init(_ session: JSONWritingSession) {
    state = session.state
    super.init(session: session, owner: nil, key: nil)
  }

  /// Whether values can be written in place into a container of a kind.
  @inline(__always)
  func isWriting(_ container: Kind) -> Bool { kind == container && state.pointee.depth == depth }

  var isOnTop: Bool { state.pointee.depth == depth }
}

// From begin to end.
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

  /// Ends the value's text; a value that encoded nothing is an empty object.
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

  /// Ends the scope without its text, which its owner cuts away.
  @inline(__always)
  func abandon() {
    if keepsNames { forgetNames() }
    if tree != nil { dropTree() }
    state.pointee.members.cut(to: firstMember)
    state.pointee.depth = depth &- 1
    kind = .closed
    owner = nil
  }

  /// Encodes a value in a scope within this one.
  ///
  /// - Parameters:
  ///   - owner: The encoder whose value this one is a part of: this scope, or one that writes through it.
  ///   - level: The number of containers around the value.
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

  /// Encodes a value by its `encode(to:)` in a scope within this one.
  ///
  /// It is ``within(owner:level:key:_:)`` once more, without a closure, for what is done for most values.
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

  /// Encodes a value of this scope while one within it is on top.
  func interrupting(_ body: () throws -> Void) rethrows {
    let top = state.pointee.scopes[state.pointee.depth - 2]
    (top.isInterrupted, top.committed) = (true, state.pointee.buffer.count)
    defer { top.isInterrupted = false }
    try body()
  }

  /// A scope that was used before at the depth of the next one, or a new one.
  @inline(__always)
  private func makeScope() -> JSONScope {
    let place = state.pointee.depth &- 1
    // Whoever holds a scope still may use it, so it is left to them.
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

  /// Throws where there are too many values within each other, or the stack has no room for another one.
  @inline(never)
  func checkDepth(_ value: Any?) throws {
    if state.pointee.depth &+ state.pointee.forwards > JSONWriting.maximumValueDepth { throw refusal(value) }
    if !StackRoom.isEnough { throw refusal(value, as: .stack) }
  }

  /// Notes that there is too much in one another, if there is no other problem yet, and gives the error to be thrown here.
  @inline(never)
  func refusal(_ value: Any?, as problem: JSONWritingProblem = .depth) -> any Error {
    if case .misuse(let error) = session.problem { return error }
    return session.refuseDepth(of: value ?? "", at: codingPath, as: problem)
  }
}

// Members and elements in place.
extension JSONScope {
  /// Begins an object or array in place; throws, and leaves a problem in the session, if it would be too deep.
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

  /// Begins a member; `false` if its name is there already, and then nothing is written.
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

  /// Whether a plain name is new whose hash says that it need not be.
  @inline(never)
  private func isNewName(_ member: JSONMember) -> Bool {
    if !keepsNames, let isNew = JSONMemberNames.isNew(member, after: firstMember, in: state) { return isNew }
    return insert(member.name(in: state))
  }

  private func insert(_ name: String) -> Bool {
    if !keepsNames { (names, keepsNames) = (JSONMemberNames.all(after: firstMember, in: state), true) }
    return names.insert(name).inserted
  }

  /// A name with escapes or letters beyond ASCII, which may equal another one of other bytes.
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

  /// Begins a member whose name cannot have been there, in an object that stays in place.
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

  /// Begins an element.
  @inline(__always)
  func startElement() {
    committed = state.pointee.buffer.count
    separate()
  }

  /// Takes everything back that was encoded, so that another value can be.
  func forget(to mark: Int) {
    guard isOnTop, kind != .refused else { return }
    state.pointee.buffer.cut(to: mark)
    state.pointee.members.cut(to: firstMember)
    (kind, count, nameBits) = (.empty, 0, 0)
    dropTree()
    forgetNames()
  }

  /// Takes a member or element back that could not be encoded.
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

// The change to pieces.
extension JSONScope {
  /// The tree, made of what is there so far if this is the first time.
  func makeTree() -> JSONTree {
    if let tree { return tree }
    // A member that is being encoded now is added when it is done.
    let isPending = !isOnTop && !isInterrupted
    let end = isOnTop ? state.pointee.buffer.count : committed
    let tree = JSONTree(of: self, upTo: end, elementCount: isPending ? count - 1 : count)
    self.tree = tree
    kind = .tree
    return tree
  }
}

/// The handlers of a ``CancellationSignal``: most have one or two, which cost no allocation.
struct CancellationHandlers {
  typealias Handler = @Sendable () -> Void

  private var last: UInt64 = 0
  private var first: (id: UInt64, handler: Handler)?
  private var second: (id: UInt64, handler: Handler)?
  private var others: [UInt64: Handler] = [:]

  /// A number that no handler has had.
  mutating func makeID() -> UInt64 {
    last += 1
    return last
  }

  mutating func add(_ handler: @escaping Handler, id: UInt64) {
    if first == nil {
      first = (id, handler)
    } else if second == nil {
      second = (id, handler)
    } else {
      others[id] = handler
    }
  }

  /// Gives the handler back, to be released outside the lock.
  mutating func remove(_ id: UInt64) -> Handler? {
    if let found = first, found.id == id {
      first = nil
      return found.handler
    }
    if let found = second, found.id == id {
      second = nil
      return found.handler
    }
    return others.isEmpty ? nil : others.removeValue(forKey: id)
  }

  /// Gives all back, to be called or released outside the lock.
  mutating func removeAll() -> [Handler] {
    guard first != nil || second != nil || !others.isEmpty else { return [] }
    let all = [first, second].compactMap(\.?.handler) + others.values
    (first, second, others) = (nil, nil, [:])
    return all
  }
}

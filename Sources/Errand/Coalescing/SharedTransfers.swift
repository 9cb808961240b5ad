/// The transfers of an agent that several dispatches may wait for.
final class SharedTransfers: Sendable {
  private struct Entry {
    let transfer: SharedTransfer
    var waiters: Int
  }

  private let entries = Locked([CoalescingKey: Entry]())

  /// How many are in flight.
  var count: Int { entries.withLock { $0.count } }

  /// How many wait for transfers in flight, all together.
  var waiterCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.waiters } } }

  /// Waits for the transfer of that key, or begins it.
  ///
  /// - Parameters:
  ///   - signal: who waits leaves when it fires; the last one ends the transfer.
  ///   - transport: carries it, where it is begun.
  ///   - request: what is sent then, but for its cancellation.
  ///   - whenSent: called once: when the transfer has ended; of another dispatch's, at once.
  /// - Returns: the answer, and whether it is of a transfer that another dispatch began.
  func answer(
    for key: CoalescingKey, unless signal: CancellationSignal, by transport: any Transport,
    _ request: TransportRequest, whenSent: @escaping @Sendable () -> Void
  ) async throws -> (TransportResponse, isCoalesced: Bool) {
    let (transfer, isFirst) = join(key, by: transport)
    if isFirst { begin(transfer, key, request, whenSent) } else { whenSent() }
    do {
      let result = try await signal.cancelling { try await transfer.end.wait() }
      return (try result.get().response, !isFirst)
    } catch {
      // Does nothing when it has ended.
      leave(transfer, key)
      throw error
    }
  }

  private func join(_ key: CoalescingKey, by transport: any Transport) -> (SharedTransfer, isFirst: Bool) {
    entries.withLock { entries in
      if let transfer = entries[key]?.transfer {
        entries[key]?.waiters += 1
        return (transfer, false)
      }
      let transfer = SharedTransfer(by: transport)
      entries[key] = Entry(transfer: transfer, waiters: 1)
      return (transfer, true)
    }
  }

  private func leave(_ transfer: SharedTransfer, _ key: CoalescingKey) {
    let isLast = entries.withLock { entries in
      guard let entry = entries[key], entry.transfer === transfer else { return false }
      entries[key]?.waiters -= 1
      if entry.waiters > 1 { return false }
      entries[key] = nil
      return true
    }
    if isLast { transfer.signal.cancel() }
  }

  /// Runs the transfer in a task that belongs to no one who waits.
  private func begin(
    _ transfer: SharedTransfer, _ key: CoalescingKey, _ request: TransportRequest,
    _ whenSent: @escaping @Sendable () -> Void
  ) {
    var request = request
    request.cancellation = transfer.signal
    request.suspension = nil
    Task { [request] in
      let result = await transfer.run(request)
      whenSent()
      // Whoever comes from now on has a transfer of its own.
      entries.withLock { entries in
        if entries[key]?.transfer === transfer { entries[key] = nil }
      }
      transfer.end.set(result)
    }
  }
}

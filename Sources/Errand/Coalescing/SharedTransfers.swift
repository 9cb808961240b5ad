import Foundation

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

  /// Comes to share the transfer of that key, or begins it; to be followed by ``answer(of:for:unless:)``.
  ///
  /// - Parameters:
  ///   - transport: carries it, where it is begun.
  ///   - request: what is sent then, but for its cancellation.
  ///   - whenSent: called once: when the transfer has ended; of another dispatch's, at once.
  /// - Returns: the transfer, and whether it was begun.
  func join(
    _ key: CoalescingKey, by transport: any Transport, sending request: TransportRequest,
    whenSent: @escaping @Sendable () -> Void
  ) -> (SharedTransfer, isFirst: Bool) {
    let (transfer, isFirst) = entries.withLock { entries in
      if let transfer = entries[key]?.transfer {
        entries[key]?.waiters += 1
        return (transfer, false)
      }
      let transfer = SharedTransfer(by: transport)
      entries[key] = Entry(transfer: transfer, waiters: 1)
      return (transfer, true)
    }
    if isFirst { begin(transfer, for: key, sending: request, whenSent: whenSent) } else { whenSent() }
    return (transfer, isFirst)
  }

  /// Waits for the answer; who waits leaves when the signal fires, and the last one ends the transfer.
  func answer(
    of transfer: SharedTransfer, for key: CoalescingKey, unless signal: CancellationSignal
  ) async throws -> TransportResponse {
    do {
      return try await signal.cancelling { try await transfer.end.wait() }.get().response
    } catch {
      // Does nothing when it has ended.
      leave(transfer, for: key)
      throw error
    }
  }

  private func leave(_ transfer: SharedTransfer, for key: CoalescingKey) {
    let left = entries.withLock { entries -> Left? in
      guard let entry = entries[key], entry.transfer === transfer else { return nil }
      entries[key]?.waiters -= 1
      return entry.waiters > 1 ? nil : Self.remove(key, from: &entries)
    }
    if left != nil { transfer.signal.cancel() }
  }

  /// To be released outside the lock: a body's bytes may run code of their owner's as they go.
  private typealias Left = Dictionary<CoalescingKey, Entry>.Element

  private static func remove(_ key: CoalescingKey, from entries: inout [CoalescingKey: Entry]) -> Left? {
    entries.index(forKey: key).map { entries.remove(at: $0) }
  }

  /// Runs the transfer in a task that belongs to no one who waits.
  private func begin(
    _ transfer: SharedTransfer, for key: CoalescingKey, sending request: TransportRequest,
    whenSent: @escaping @Sendable () -> Void
  ) {
    var request = request
    request.cancellation = transfer.signal
    Task { [request] in
      let result = await transfer.run(request)
      whenSent()
      // Those that come from now on have a transfer of their own.
      _ = entries.withLock { entries -> Left? in
        entries[key]?.transfer === transfer ? Self.remove(key, from: &entries) : nil
      }
      transfer.end.set(result)
    }
  }
}

/// One transfer for several dispatches: its answer is read whole, and given to each.
final class SharedTransfer: Sendable {
  /// What came of it, for each who waits to read for itself.
  struct Answer: Sendable {
    let head: HTTPResponse
    let body: Data
    let summary: TransportSummary
    /// Why the body broke off; `nil` where it did not.
    let failure: (any Error)?

    var response: TransportResponse {
      guard let failure else {
        return TransportResponse(head: head, body: BodyStream(body, summary: summary))
      }
      return TransportResponse(
        head: head, body: BodyStream(BrokenBody(body, failure: failure, summary: summary)))
    }
  }

  let end = OneTime<Result<Answer, any Error>>()
  /// Fires when the last one has left.
  let signal = CancellationSignal()
  /// Kept for as long as the transfer is found by it.
  private let transport: any Transport

  init(by transport: any Transport) { self.transport = transport }

  func run(_ request: TransportRequest) async -> Result<Answer, any Error> {
    do {
      let response = try await transport.send(request)
      return .success(await read(response, limit: request.limits.bodySize))
    } catch {
      return .failure(error)
    }
  }

  /// Reads the body, and gives it up past the limit: who reads the rest for itself finds that out.
  private func read(_ response: TransportResponse, limit: Int?) async -> Answer {
    let ending = signal.onCancel { response.body.cancel() }
    defer { signal.removeHandler(ending) }
    var (body, failure) = (Data(), (any Error)?.none)
    do {
      for try await chunk in response.body {
        if body.isEmpty { body = chunk } else { body.append(chunk) }
        if let limit, body.count > limit {
          response.body.cancel()
          break
        }
      }
    } catch {
      failure = error
    }
    return Answer(head: response.head, body: body, summary: response.body.summary, failure: failure)
  }
}

/// A body that gives what came of it and then breaks off.
private final class BrokenBody: BodySource {
  let summary: TransportSummary
  private let failure: any Error
  private let rest: Locked<Data?>

  init(_ body: Data, failure: any Error, summary: TransportSummary) {
    self.failure = failure
    self.summary = summary
    rest = Locked(body.isEmpty ? nil : body)
  }

  func next() async throws -> Data? {
    let chunk = rest.withLock { rest in
      defer { rest = nil }
      return rest
    }
    guard let chunk else { throw failure }
    return chunk
  }
}

import Foundation

final class SharedTransfers: Sendable {
  private struct Entry {
    let transfer: SharedTransfer
    var waiters: Int
  }

  private let entries = Locked([CoalescingKey: Entry]())

  var count: Int { entries.withLock { $0.count } }

  var waiterCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.waiters } } }

  /// Joins the running transfer with the key, or starts a transfer.
  ///
  /// Call ``answer(of:for:unless:)`` next. `whenSent` is called at once for a running transfer, and at the
  /// end of a new transfer.
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

  /// Returns the response of the transfer.
  ///
  /// If `signal` fires, the dispatch stops waiting. A transfer without waiting dispatches is cancelled.
  func answer(
    of transfer: SharedTransfer, for key: CoalescingKey, unless signal: CancellationSignal
  ) async throws -> TransportResponse {
    do {
      return try await signal.cancelling { try await transfer.end.wait() }.get().response
    } catch {
      leave(transfer, for: key)
      throw error
    }
  }

  private func leave(_ transfer: SharedTransfer, for key: CoalescingKey) {
    let left = entries.withLock { entries -> RemovedEntry? in
      guard let entry = entries[key], entry.transfer === transfer else { return nil }
      entries[key]?.waiters -= 1
      return entry.waiters > 1 ? nil : Self.remove(key, from: &entries)
    }
    if left != nil { transfer.signal.cancel() }
  }

  /// A removed entry is released after unlocking, because the release may run code of the app.
  private typealias RemovedEntry = Dictionary<CoalescingKey, Entry>.Element

  private static func remove(_ key: CoalescingKey, from entries: inout [CoalescingKey: Entry])
    -> RemovedEntry?
  {
    entries.index(forKey: key).map { entries.remove(at: $0) }
  }

  /// Runs the transfer in a new task, because a cancelled waiter must not end the transfer of other waiters.
  private func begin(
    _ transfer: SharedTransfer, for key: CoalescingKey, sending request: TransportRequest,
    whenSent: @escaping @Sendable () -> Void
  ) {
    var request = request
    request.cancellation = transfer.signal
    Task { [request] in
      // The deadline of the first dispatch must not end the transfer of all waiters.
      let result = await AmbientDeadline.$current.withValue(nil) { await transfer.run(request) }
      whenSent()
      // The entry is removed before `end` is set, so that a request after the response starts a new transfer.
      _ = entries.withLock { entries -> RemovedEntry? in
        entries[key]?.transfer === transfer ? Self.remove(key, from: &entries) : nil
      }
      transfer.end.set(result)
    }
  }
}

final class SharedTransfer: Sendable {
  struct Answer: Sendable {
    let head: HTTPResponse
    let body: Data
    let summary: TransportSummary
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
  let signal = CancellationSignal()
  /// Retained, because the key may contain the transport's `ObjectIdentifier`.
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

  private func read(_ response: TransportResponse, limit: Int?) async -> Answer {
    let ending = signal.onCancel { response.body.cancel() }
    defer { signal.removeHandler(ending) }
    var (body, failure) = (Data(), (any Error)?.none)
    do {
      for try await chunk in response.body {
        if body.isEmpty { body = chunk } else { body.append(chunk) }
        if let limit, body.count > limit {
          failure = TransportError.bodyTooLong(limit)
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

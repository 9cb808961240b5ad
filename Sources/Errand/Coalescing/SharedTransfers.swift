import Foundation

/// The transfers of an agent that several dispatches may share.
final class SharedTransfers: Sendable {
  private struct Entry {
    let transfer: SharedTransfer
    var waiters: Int
  }

  private let entries = Locked([CoalescingKey: Entry]())

  /// The number of running transfers.
  var count: Int { entries.withLock { $0.count } }

  /// The number of waiting dispatches, over all transfers.
  var waiterCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.waiters } } }

  /// Joins the running transfer of a key, or starts a transfer.
  ///
  /// The caller must then call ``answer(of:for:unless:)``.
  ///
  /// - Parameters:
  ///   - transport: the transport for a new transfer.
  ///   - request: the request of a new transfer; its cancellation signal is replaced.
  ///   - whenSent: called once: at the end of a new transfer, or immediately when a running transfer is
  ///     joined.
  /// - Returns: the transfer, and true if the transfer is new.
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

  /// Waits for the response of a joined transfer.
  ///
  /// If the signal fires, the waiter leaves the transfer, and the last waiter that leaves cancels the
  /// transfer.
  func answer(
    of transfer: SharedTransfer, for key: CoalescingKey, unless signal: CancellationSignal
  ) async throws -> TransportResponse {
    do {
      return try await signal.cancelling { try await transfer.end.wait() }.get().response
    } catch {
      // `leave` has no effect if the transfer has ended.
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

  /// A removed entry, to be released after unlocking.
  ///
  /// Releasing a body in the key may run a deallocator of the app.
  private typealias Left = Dictionary<CoalescingKey, Entry>.Element

  private static func remove(_ key: CoalescingKey, from entries: inout [CoalescingKey: Entry]) -> Left? {
    entries.index(forKey: key).map { entries.remove(at: $0) }
  }

  /// Runs the transfer in a separate task, independent of all waiters.
  private func begin(
    _ transfer: SharedTransfer, for key: CoalescingKey, sending request: TransportRequest,
    whenSent: @escaping @Sendable () -> Void
  ) {
    var request = request
    request.cancellation = transfer.signal
    Task { [request] in
      let result = await transfer.run(request)
      whenSent()
      // After the removal, the next equal request starts a new transfer.
      _ = entries.withLock { entries -> Left? in
        entries[key]?.transfer === transfer ? Self.remove(key, from: &entries) : nil
      }
      transfer.end.set(result)
    }
  }
}

/// A transfer shared by several dispatches.
///
/// The whole response is read into memory, and each dispatch gets a copy.
final class SharedTransfer: Sendable {
  /// The response, from which each waiter reads its own stream.
  struct Answer: Sendable {
    let head: HTTPResponse
    let body: Data
    let summary: TransportSummary
    /// The error that interrupted the body; `nil`: the body is complete or exceeds the limit.
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
  /// Fires when the last waiter has left.
  let signal = CancellationSignal()
  /// The transport, retained because the key contains its `ObjectIdentifier`.
  ///
  /// The identifier of a released transport could be reused for another transport.
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

  /// Reads the body, and stops beyond the limit.
  ///
  /// Each waiter then reads more bytes than allowed, and fails by the same limit.
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

/// A body that supplies the received bytes, and then throws.
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

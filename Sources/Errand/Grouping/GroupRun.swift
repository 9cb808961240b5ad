/// A run of a group; sends the members of the group.
public struct GroupRun: Sendable {
  let core: GroupCore
  var interval: Duration = .zero

  /// Sends a member and returns the value.
  ///
  /// - Throws: ``RequestError``; `CancellationError` after a cancellation, or if the group has ended.
  @discardableResult
  public func send<R: Request>(_ request: R) async throws -> R.Response {
    let index = core.ledger.announce(request)
    switch await outcome(of: request, at: index) {
    case .success(let value): return value
    case .failure(let error): throw core.ledger.error(error, of: index, among: index..<index)
    case .cancelled: throw CancellationError()
    }
  }

  /// Sends a member and returns the outcome.
  public func outcome<R: Request>(of request: R) async -> Outcome<R.Response> {
    await outcome(of: request, at: core.ledger.announce(request))
  }

  /// Throws `CancellationError` after a cancellation, or if the group has ended.
  public func checkCancellation() throws {
    if core.stop.isCancelled || Task.isCancelled { throw CancellationError() }
  }

  func outcome<R: Request>(of request: R, at index: Int) async -> Outcome<R.Response> {
    if interval > .zero, core.ledger.hasStarted { await core.wait(interval) }
    let outcome = await core.outcome(of: request, at: index)
    await core.tellStop(of: index)
    return outcome
  }

  func values<each R: Request>(
    of request: repeat each R, stopsOnFailure: Bool
  ) async throws -> (repeat (each R).Response) {
    var members = 0..<0
    let outcomes = await outcomes(of: repeat each request, stopsOnFailure: stopsOnFailure, members: &members)
    try core.ledger.checkProblems(among: members)
    return try (repeat (each outcomes).heldValue())
  }

  func outcomes<each R: Request>(
    of request: repeat each R, stopsOnFailure: Bool
  ) async -> (repeat Outcome<(each R).Response>) {
    var members = 0..<0
    return await outcomes(of: repeat each request, stopsOnFailure: stopsOnFailure, members: &members)
  }

  private func outcomes<each R: Request>(
    of request: repeat each R, stopsOnFailure: Bool, members: inout Range<Int>
  ) async -> (repeat Outcome<(each R).Response>) {
    var requests: [any Request] = []
    var sends: [@Sendable (Int, CancellationSignal) async -> Void] = []
    func add<Q: Request>(_ request: Q) -> Locked<Outcome<Q.Response>> {
      let cell = Locked(Outcome<Q.Response>.cancelled)
      requests.append(request)
      sends.append { [core] index, batch in
        let outcome = await core.outcome(of: request, at: index, in: batch)
        cell.withLock { $0 = outcome }
      }
      return cell
    }
    let cells = (repeat add(each request))
    members = await core.together(requests, width: nil, stopsOnFailure: stopsOnFailure) {
      [sends] place, index, batch in
      await sends[place](index, batch)
    }
    return (repeat (each cells).withLock { $0 })
  }

  func values<R: Request>(of requests: [R], width: Int?, stopsOnFailure: Bool) async throws -> [R.Response] {
    var members = 0..<0
    let outcomes = await outcomes(
      of: requests, width: width, stopsOnFailure: stopsOnFailure, members: &members)
    try core.ledger.checkProblems(among: members)
    return try outcomes.map { try $0.heldValue() }
  }

  func outcomes<R: Request>(
    of requests: [R], width: Int?, stopsOnFailure: Bool
  ) async -> [Outcome<R.Response>] {
    var members = 0..<0
    return await outcomes(of: requests, width: width, stopsOnFailure: stopsOnFailure, members: &members)
  }

  private func outcomes<R: Request>(
    of requests: [R], width: Int?, stopsOnFailure: Bool, members: inout Range<Int>
  ) async -> [Outcome<R.Response>] {
    let outcomes = Locked([Outcome<R.Response>](repeating: .cancelled, count: requests.count))
    members = await core.together(requests, width: width, stopsOnFailure: stopsOnFailure) {
      [core] place, index, batch in
      let outcome = await core.outcome(of: requests[place], at: index, in: batch)
      outcomes.withLock { $0[place] = outcome }
    }
    return outcomes.withLock { $0 }
  }
}

extension Outcome {
  fileprivate func heldValue() throws -> Value {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    case .cancelled: throw CancellationError()
    }
  }
}

extension RequestAgent {
  /// Sends requests of any types concurrently, like a ``BatchRequest``.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task was cancelled.
  @discardableResult
  public func sendTogether<each R: Request>(
    _ request: repeat each R
  ) async throws -> (repeat (each R).Response) {
    let requests = (repeat each request)
    return try await send(
      GroupOutcomes { run in try await run.values(of: repeat each requests, stopsOnFailure: true) })
  }

  /// Sends requests of any types concurrently, and returns all outcomes.
  ///
  /// - Throws: ``RequestError`` if the agent cancels the group; `CancellationError` if the calling task was
  ///   cancelled.
  public func outcomesTogether<each R: Request>(
    _ request: repeat each R
  ) async throws -> (repeat Outcome<(each R).Response>) {
    let requests = (repeat each request)
    return try await send(
      GroupOutcomes { run in
        let outcomes = await run.outcomes(of: repeat each requests, stopsOnFailure: false)
        try run.checkCancellation()
        return outcomes
      })
  }

  /// Sends requests as a ``UniformBatch``, and returns the values in order.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task was cancelled.
  @discardableResult
  public func sendTogether<R: Request>(
    _ requests: some Sequence<R>, width: Int? = nil
  ) async throws -> [R.Response] { try await send(UniformBatch(requests, width: width)) }
}

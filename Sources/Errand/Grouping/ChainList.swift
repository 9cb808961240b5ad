/// The work of a chain that is a list.
struct ChainList<Value: Sendable>: Sendable {
  let requests: [any Request<Value>]
  let stopsOnFailure: Bool
  let stopsOnSuccess: Bool
  let onSuccess: (@Sendable (Int, Value) async -> Void)?
  let extending: (@Sendable ([Outcome<Value>]) async throws -> (any Request<Value>)?)?

  func outcomes(in run: GroupRun) async throws -> [Outcome<Value>] {
    let first = run.core.ledger.announce(requests)
    var outcomes: [Outcome<Value>] = []
    var last = first
    while let (request, index) = try await next(after: outcomes, first, run) {
      let outcome = await send(request, at: index, run)
      try run.checkCancellation()
      outcomes.append(outcome)
      last = index
      if case .success(let value) = outcome {
        await onSuccess?(index, value)
        if stopsOnSuccess { break }
      } else if stopsOnFailure {
        try check(outcome, first...index, run)
      }
    }
    if let outcome = outcomes.last { try check(outcome, first...last, run) }
    return outcomes
  }

  /// The next of the list, else the one that extends it.
  private func next(
    after outcomes: [Outcome<Value>], _ first: Int, _ run: GroupRun
  ) async throws -> (any Request<Value>, Int)? {
    try run.checkCancellation()
    if outcomes.count < requests.count { return (requests[outcomes.count], first + outcomes.count) }
    guard let request = try await extending?(outcomes) else { return nil }
    try run.checkCancellation()
    return (request, run.core.ledger.announce(request))
  }

  private func send(_ request: any Request<Value>, at index: Int, _ run: GroupRun) async -> Outcome<Value> {
    await run.outcome(of: request, at: index)
  }

  /// Throws unless the last of the members so far has succeeded.
  private func check(_ outcome: Outcome<Value>, _ members: ClosedRange<Int>, _ run: GroupRun) throws {
    switch outcome {
    case .success: break
    case .failure(let error):
      throw run.core.ledger.error(error, of: members.upperBound, among: Range(members))
    case .cancelled: throw CancellationError()
    }
  }
}

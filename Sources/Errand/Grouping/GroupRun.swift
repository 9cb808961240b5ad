/// One run of a group: sends its members.
///
/// Each member is a dispatch like any other, with hooks, accessories, retries and exactly one outcome. The order of the
/// calls numbers the members, from 0. Calls at once run at once.
public struct GroupRun: Sendable {
  let core: GroupCore
  /// Waited between members, on the agent's clock.
  var interval: Duration = .zero

  /// Sends a member and returns its value.
  ///
  /// - Throws: ``RequestError``, which names the member in ``RequestError/group``; `CancellationError` when the group or
  ///   the member was cancelled. A member of a group that was cancelled is not sent.
  @discardableResult
  public func send<R: Request>(_ request: R) async throws -> R.Response {
    let index = core.ledger.announce(request)
    switch await outcome(of: request, at: index) {
    case .success(let value): return value
    case .failure(let error): throw core.ledger.error(error, of: index, among: index..<index)
    case .cancelled: throw CancellationError()
    }
  }

  /// Sends a member and returns its outcome, whatever it is.
  public func outcome<R: Request>(of request: R) async -> Outcome<R.Response> {
    await outcome(of: request, at: core.ledger.announce(request))
  }

  /// Throws `CancellationError` when the group was cancelled.
  public func checkCancellation() throws {
    if core.stop.isCancelled || Task.isCancelled { throw CancellationError() }
  }

  func outcome<R: Request>(of request: R, at index: Int) async -> Outcome<R.Response> {
    if interval > .zero, core.ledger.hasStarted { await core.wait(interval) }
    let outcome = await core.outcome(of: request, at: index)
    await core.tellStop(of: index)
    return outcome
  }
}

import Foundation

extension Dispatch {
  /// The answer of a transfer that is shared with identical requests; `nil` for a request that is not shared.
  func sharedAnswer(
    to http: HTTPRequest, _ attempt: inout Attempt
  ) async throws -> TransportResponse? {
    guard !attempt.isStreamed else { return nil }
    let compared = attempt.identified?.unsigned ?? http
    guard
      let key = CoalescingKey(
        compared, identity: attempt.identified?.identity, coalescing, timeout: request.timeout, limits,
        substitute: substitute)
    else { return nil }
    let signal = attempt.watch?.signal ?? cancellation
    if signal.isCancelled { throw TransportError.cancelled }
    // It is the transfer's now, as the dispatch may leave before it has ended; whoever comes to share sends nothing.
    let slot = attempt.slot
    attempt.slot = nil
    let (transfer, isFirst) = agent.sharedTransfers.join(
      key, by: substitute ?? agent.transport,
      TransportRequest(http, timeout: request.timeout, limits: limits, priority: priority)
    ) { [slots = agent.slots] in
      if let slot { slots.release(slot) }
    }
    // Also where it fails.
    attempt.isLastHopShared = !isFirst
    attempt.isCoalesced = attempt.isCoalesced || !isFirst
    return try await agent.sharedTransfers.answer(of: transfer, for: key, unless: signal)
  }
}

/// A request whose authenticator told whose credentials it signed with.
final class IdentifiedRequest: Sendable {
  /// As it was before it was signed.
  let unsigned: HTTPRequest
  let identity: CoalescingKey.Identity

  init(_ unsigned: HTTPRequest, by authenticator: any Authenticator.Type, _ identity: String) {
    self.unsigned = unsigned
    self.identity = CoalescingKey.Identity(authenticator: ObjectIdentifier(authenticator), name: identity)
  }
}

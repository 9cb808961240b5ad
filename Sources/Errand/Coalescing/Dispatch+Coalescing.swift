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
    let (answer, isCoalesced) = try await agent.sharedTransfers.answer(
      for: key, unless: signal, by: substitute ?? agent.transport,
      TransportRequest(http, timeout: request.timeout, limits: limits, priority: priority)
    ) {
      // It sends nothing, so that the next may come to share too.
      giveSlotBack(&attempt)
    }
    attempt.isCoalesced = attempt.isCoalesced || isCoalesced
    return answer
  }
}

/// A request whose authenticator told whose credentials it signed with.
final class IdentifiedRequest: Sendable {
  /// As it was before it was signed.
  let unsigned: HTTPRequest
  let identity: String

  init(_ unsigned: HTTPRequest, identity: String) {
    self.unsigned = unsigned
    self.identity = identity
  }
}

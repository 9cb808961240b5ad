/// The values of a request: first a usable stored value, if any, then the value from the network.
///
/// If the policy sends nothing, the sequence ends after the first value.
final class CachedValues<R: Request>: ElementSource {
  struct Calls: Sendable {
    let policy: CachePolicy
    let send: @Sendable (any Request<R.Response>) async throws -> Received<R.Response>
    let lookup: @Sendable (any Request<R.Response>) async throws -> AgentCache.Lookup?
  }

  private enum Step { case cache, network, end }

  private let request: R
  private let calls: Calls
  private var step = Step.cache

  init(request: R, calls: Calls) { (self.request, self.calls) = (request, calls) }

  func next() async throws -> Received<R.Response>? {
    if step == .cache {
      step = policy.sendsNothing ? .end : .network
      if policy.sendsNothing { return try await calls.send(request) }
      if let stored = try await stored() { return stored }
    }
    guard step == .network else { return nil }
    step = .end
    let isKept = policy.mode != .none
    return try await calls.send(
      isKept ? request.with(\.cachePolicy, policy.with(.reload)) : request.with(\.cachePolicy, .none))
  }

  private var policy: CachePolicy { request.cachePolicy.completed(by: calls.policy) }

  private func stored() async throws -> Received<R.Response>? {
    let cached = request.with(\.cachePolicy, policy.with(.cacheOnly))
    guard policy.mode != .none, try await calls.lookup(cached)?.isUsable == true else {
      return nil
    }
    do {
      return try await calls.send(cached)
    } catch let error as RequestError where !error.isCancelled {
      return nil
    }
  }
}

/// The stored value of a request, then that of the network: at most two elements.
final class CachedValues<R: Request>: ElementSource {
  private enum Step { case cache, network, end }

  private let request: R
  private let agent: RequestAgent
  private var step = Step.cache

  init(request: R, agent: RequestAgent) { (self.request, self.agent) = (request, agent) }

  /// Returns the next value with its response and report; throws what ``RequestAgent/response(for:)`` does.
  func next() async throws -> Received<R.Response>? {
    if step == .cache {
      step = policy.sendsNothing ? .end : .network
      if policy.sendsNothing { return try await agent.response(for: request) }
      if let stored = try await stored() { return stored }
    }
    guard step == .network else { return nil }
    step = .end
    let isKept = policy.mode != .none
    return try await agent.response(
      for: isKept ? request.with(\.cachePolicy, policy.with(.reload)) : request.with(\.cachePolicy, .none))
  }

  private var policy: CachePolicy {
    request.cachePolicy.completed(by: agent.configuration.cachePolicy)
  }

  private func stored() async throws -> Received<R.Response>? {
    let cached = request.with(\.cachePolicy, policy.with(.cacheOnly))
    guard policy.mode != .none, try await agent.cachedResponse(for: cached)?.isUsable == true else {
      return nil
    }
    do {
      return try await agent.response(for: cached)
    } catch let error as RequestError where !error.isCancelled {
      return nil
    }
  }
}

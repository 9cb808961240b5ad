/// The stored value of a request, then that of the network: ``RequestAgent/values(for:)``.
///
/// Nothing is sent before it is read. Each reader makes dispatches of its own.
public struct CachedValues<R: Request>: AsyncSequence, Sendable {
  let request: R
  let agent: RequestAgent

  /// Makes the iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(request: request, agent: agent) }

  /// Gives at most two values.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Step { case cache, network, end }

    let request: R
    let agent: RequestAgent
    private var step = Step.cache

    init(request: R, agent: RequestAgent) { (self.request, self.agent) = (request, agent) }

    /// The next value with its response and report; throws what ``RequestAgent/response(for:)`` does.
    public mutating func next() async throws -> Received<R.Response>? {
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
}

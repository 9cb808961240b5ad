/// Requests one after another, of which each may be made of what came before.
///
/// ```swift
/// let chain = ChainRequest(Login(name: "Ada")).then { login in GetUser(token: login.token) }
/// let user = try await agent.send(chain)
/// ```
///
/// The value of the last member is that of the chain. A failure ends it, and what would have followed is not sent. For a
/// list of one type, which may go on after failures or end with the first success, see
/// ``init(_:stopsOnFailure:stopsOnSuccess:onSuccess:extending:)-([R],_,_,_,_)``.
public struct ChainRequest<Results: Sendable>: RequestGroup {
  /// Waited between two members, on the agent's clock; none by default.
  public var interval: Duration = .zero
  /// Watch this chain; empty by default.
  public var accessories: [any GroupAccessory] = []
  /// Shown in logs; `nil` by default.
  public var comment: String?
  private let body: @Sendable (GroupRun) async throws -> Results

  /// Makes a chain of code that sends its members: for all that the other forms do not say.
  ///
  /// ```swift
  /// ChainRequest { chain in
  ///   let login = try await chain.send(Login(name: "Ada"))
  ///   return try await chain.send(GetUser(token: login.token))
  /// }
  /// ```
  ///
  /// Called once a run, off the main actor. What it throws is the failure of the chain: the cause of its error, unless it
  /// is a ``RequestError``.
  public init(_ body: @escaping @Sendable (GroupRun) async throws -> Results) { self.body = body }

  /// Makes a chain of one member, to be followed by others.
  public init<R: Request>(_ first: R) where R.Response == Results {
    self.init { run in try await run.send(first) }
  }

  /// The chain followed by one more member, made of the value so far.
  ///
  /// `next` is called off the main actor, unless marked for it, when the ones before have succeeded and their callbacks
  /// have run. What it throws is the cause of the chain's failure.
  public func then<R: Request>(
    _ next: @escaping @Sendable (Results) async throws -> R
  ) -> ChainRequest<R.Response> {
    followed { [body] run in
      let value = try await body(run)
      try run.checkCancellation()
      return try await run.send(try await next(value))
    }
  }

  /// The chain with a callback for the value so far, which runs before the next member is made.
  ///
  /// It runs off the main actor, unless marked for it, and is awaited. Once the chain was cancelled it does not run.
  public func onSuccess(_ callback: @escaping @Sendable (Results) async -> Void) -> ChainRequest {
    followed { [body] run in
      let value = try await body(run)
      try run.checkCancellation()
      await callback(value)
      return value
    }
  }

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> Results {
    var run = run
    run.interval = interval
    return try await body(run)
  }

  private func followed<Next: Sendable>(
    _ body: @escaping @Sendable (GroupRun) async throws -> Next
  ) -> ChainRequest<Next> {
    var chain = ChainRequest<Next>(body)
    chain.interval = interval
    chain.accessories = accessories
    chain.comment = comment
    return chain
  }
}

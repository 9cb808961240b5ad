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

extension ChainRequest {
  /// Makes a chain of a list of requests of one type, and gives their outcomes in order.
  ///
  /// ```swift
  /// ChainRequest(mirrors, stopsOnFailure: false, stopsOnSuccess: true)
  /// ChainRequest(extending: { jobs in jobs.last?.value?.isDone == true ? nil : GetJob(id: 7) })
  /// ```
  ///
  /// The last outcome decides: a chain whose last member failed has failed. One without members completes at once.
  ///
  /// - Parameters:
  ///   - requests: sent in this order; empty by default.
  ///   - stopsOnFailure: whether a failure ends the chain; `true` by default.
  ///   - stopsOnSuccess: whether a success ends the chain, as where one of many servers is enough; `false` by default.
  ///   - onSuccess: called with the index and the value after each success, before the next member is sent; off the main
  ///     actor, unless marked for it, and awaited.
  ///   - extending: asked for one more request, with the outcomes so far, whenever the list is exhausted, also before the
  ///     first; `nil` ends the chain. What it throws is the cause of the chain's failure.
  public init<R: Request>(
    _ requests: [R] = [], stopsOnFailure: Bool = true, stopsOnSuccess: Bool = false,
    onSuccess: (@Sendable (Int, R.Response) async -> Void)? = nil,
    extending: (@Sendable ([Outcome<R.Response>]) async throws -> R?)? = nil
  ) where Results == [Outcome<R.Response>] {
    let list = ChainList(
      requests: requests, stopsOnFailure: stopsOnFailure, stopsOnSuccess: stopsOnSuccess,
      onSuccess: onSuccess,
      extending: extending)
    self.init { run in try await list.outcomes(in: run) }
  }

  /// Makes a chain of a list of requests that differ in type but not in response; otherwise as
  /// ``init(_:stopsOnFailure:stopsOnSuccess:onSuccess:extending:)-([R],_,_,_,_)``.
  public init<Value: Sendable>(
    _ requests: [any Request<Value>], stopsOnFailure: Bool = true, stopsOnSuccess: Bool = false,
    onSuccess: (@Sendable (Int, Value) async -> Void)? = nil,
    extending: (@Sendable ([Outcome<Value>]) async throws -> (any Request<Value>)?)? = nil
  ) where Results == [Outcome<Value>] {
    let list = ChainList(
      requests: requests, stopsOnFailure: stopsOnFailure, stopsOnSuccess: stopsOnSuccess,
      onSuccess: onSuccess,
      extending: extending)
    self.init { run in try await list.outcomes(in: run) }
  }
}

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
    while let (request, index) = try await next(after: outcomes, from: first, in: run) {
      let outcome = await send(request, at: index, in: run)
      try run.checkCancellation()
      outcomes.append(outcome)
      last = index
      if case .success(let value) = outcome {
        await onSuccess?(index, value)
        if stopsOnSuccess { break }
      } else if stopsOnFailure {
        try check(outcome, of: first...index, in: run)
      }
    }
    if let outcome = outcomes.last { try check(outcome, of: first...last, in: run) }
    return outcomes
  }

  /// The next of the list, else the one that extends it.
  private func next(
    after outcomes: [Outcome<Value>], from first: Int, in run: GroupRun
  ) async throws -> (any Request<Value>, Int)? {
    try run.checkCancellation()
    if outcomes.count < requests.count { return (requests[outcomes.count], first + outcomes.count) }
    guard let request = try await extending?(outcomes) else { return nil }
    try run.checkCancellation()
    return (request, run.core.ledger.announce(request))
  }

  private func send(_ request: any Request<Value>, at index: Int, in run: GroupRun) async -> Outcome<Value> {
    await run.outcome(of: request, at: index)
  }

  /// Throws unless the last of the members so far has succeeded.
  private func check(_ outcome: Outcome<Value>, of members: ClosedRange<Int>, in run: GroupRun) throws {
    switch outcome {
    case .success: break
    case .failure(let error):
      throw run.core.ledger.error(error, of: members.upperBound, among: Range(members))
    case .cancelled: throw CancellationError()
    }
  }
}

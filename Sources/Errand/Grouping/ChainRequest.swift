/// A group of requests, usually sent one after another; a request may use earlier values.
///
/// ```swift
/// let chain = ChainRequest(Login(name: "Ada")).then { login in GetUser(token: login.token) }
/// let user = try await agent.send(chain)
/// ```
///
/// With ``then(_:)``, the value of the last member is the value of the chain.
public struct ChainRequest<Results: Sendable>: RequestGroup {
  /// The wait between members that are sent one after another; zero by default.
  public var interval: Duration = .zero
  /// The accessories of the chain.
  public var accessories: [any GroupAccessory] = []
  /// A comment for logs.
  public var comment: String?
  private let body: @Sendable (GroupRun) async throws -> Results

  /// Creates a chain from code that sends the members.
  ///
  /// ```swift
  /// ChainRequest { chain in
  ///   let login = try await chain.send(Login(name: "Ada"))
  ///   return try await chain.send(GetUser(token: login.token))
  /// }
  /// ```
  ///
  /// The closure runs off the main actor, unless marked with an actor. A thrown `CancellationError` cancels
  /// the chain.
  public init(_ body: @escaping @Sendable (GroupRun) async throws -> Results) { self.body = body }

  /// Creates a chain with a first member.
  public init<R: Request>(_ first: R) where R.Response == Results {
    self.init { run in try await run.send(first) }
  }

  /// Returns the chain with a further member, created from the value so far.
  ///
  /// The closure runs off the main actor, unless marked with an actor.
  public func then<R: Request>(
    _ next: @escaping @Sendable (Results) async throws -> R
  ) -> ChainRequest<R.Response> {
    followed { [body] run in
      let value = try await body(run)
      try run.checkCancellation()
      return try await run.send(try await next(value))
    }
  }

  /// Returns the chain with a callback for the value so far.
  ///
  /// The next member waits for the callback. The callback runs off the main actor, unless marked with an
  /// actor.
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
  /// Creates a chain from requests of the same type; the chain returns the outcomes in order.
  ///
  /// ```swift
  /// ChainRequest(mirrors, stopsOnFailure: false, stopsOnSuccess: true)
  /// ChainRequest(extending: { jobs in jobs.last?.value?.isDone == true ? nil : GetJob(id: 7) })
  /// ```
  ///
  /// The chain fails if the last sent member failed.
  ///
  /// - `onSuccess`: Receives the index and the value of a successful member.
  /// - `extending`: Called when all of `requests` have ended, and after each further request, unless the
  ///   chain has stopped. Receives all outcomes; returns a further request, or `nil` to end.
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

  /// Creates a chain from requests of different types with the same response type.
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

  private func check(_ outcome: Outcome<Value>, of members: ClosedRange<Int>, in run: GroupRun) throws {
    switch outcome {
    case .success: break
    case .failure(let error):
      throw run.core.ledger.error(error, of: members.upperBound, among: Range(members))
    case .cancelled: throw CancellationError()
    }
  }
}

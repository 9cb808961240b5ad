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

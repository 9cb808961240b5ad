extension RequestAgent {
  /// Sends requests of any types at once and returns their values: `try await agent.sendTogether(GetUser(id: 7), GetNews())`.
  ///
  /// The first failure cancels the others. The same as a ``BatchRequest``, which newer systems have.
  ///
  /// - Throws: ``RequestError``, which names the member in ``RequestError/group``; `CancellationError` when the calling
  ///   task was cancelled. Either way every member has ended before.
  @discardableResult
  public func sendTogether<each R: Request>(
    _ request: repeat each R
  ) async throws -> (repeat (each R).Response) {
    let requests = (repeat each request)
    return try await send(
      GroupOutcomes { run in try await run.values(of: repeat each requests, stopsOnFailure: true) })
  }

  /// Sends requests of any types at once, waits for all, and returns their outcomes, failures among them.
  ///
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/cancelled`` when the agent cancelled all; `CancellationError`
  ///   when the calling task was cancelled.
  public func outcomesTogether<each R: Request>(
    _ request: repeat each R
  ) async throws -> (repeat Outcome<(each R).Response>) {
    let requests = (repeat each request)
    return try await send(
      GroupOutcomes { run in
        let outcomes = await run.outcomes(of: repeat each requests, stopsOnFailure: false)
        try run.checkCancellation()
        return outcomes
      })
  }

  /// Sends requests of one type at once, at most `width` of them, and returns their values in the order of the requests.
  ///
  /// The first failure cancels the others. The same as a ``UniformBatch``.
  ///
  /// - Throws: ``RequestError``, which names the member in ``RequestError/group``; `CancellationError` when the calling
  ///   task was cancelled. Either way every member has ended before.
  @discardableResult
  public func sendTogether<R: Request>(
    _ requests: some Sequence<R>, width: Int? = nil
  ) async throws -> [R.Response] { try await send(UniformBatch(requests, width: width)) }

  /// Sends requests of one type at once, at most `width` of them, waits for all, and returns their outcomes in the order of
  /// the requests, failures among them.
  ///
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/cancelled`` when the agent cancelled all; `CancellationError`
  ///   when the calling task was cancelled.
  public func outcomesTogether<R: Request>(
    _ requests: some Sequence<R>, width: Int? = nil
  ) async throws -> [Outcome<R.Response>] { try await send(UniformBatch(requests, width: width).outcomes) }
}

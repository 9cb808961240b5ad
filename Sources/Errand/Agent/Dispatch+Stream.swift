import Foundation

// The line of a stream: `RequestAgent.run` with a pause after the head.
extension Dispatch {
  /// The lifecycle as far as the head; ``OpenDispatch`` goes on from there.
  func stream() async throws -> StreamedResponse {
    var ledger = Ledger()
    await tellWillStart()
    let outcome = await open(&ledger)
    if case .success(let open) = outcome {
      return StreamedResponse(head: open.head, body: BodyStream(StreamedBody(open)), end: open.end)
    }
    let ended = await finish(outcome.map(\.head), ledger, isOpen: false)
    return StreamedResponse(of: try ended.received().value, end: ended)
  }

  /// Makes attempts until a head is accepted, none is to follow, or the dispatch is cancelled.
  private func open(_ ledger: inout Ledger) async -> Outcome<OpenDispatch<R>> {
    if request.isSerial, let outcome: Outcome<OpenDispatch<R>> = await waitForTurn(&ledger) { return outcome }
    var fallback: MockFallback?
    while !isCancelled {
      ledger.attempt += 1
      var attempt = Attempt(number: ledger.attempt, started: now)
      attempt.isStreamed = true
      let context = context(attempt: ledger.attempt)
      for accessory in accessories { await accessory.attemptWillStart(context) }

      attempt.watch = watch(attemptFrom: attempt.started)
      attempt.fallback = fallback
      attempt.wantsFreshConnection = ledger.wantsFreshConnection
      let result: Outcome<OpenDispatch<R>>
      do {
        let (head, body) = try await head(of: &attempt, context)
        result = .success(OpenDispatch(self, attempt, ledger, head: head, body: body))
      } catch {
        result = outcome(of: error, in: &attempt)
        if attempt.pass != nil { settle(&attempt, result) }
        close(&attempt, &ledger)
      }
      if result.value != nil { return result }
      if result.isCancelled { await end(&attempt, .cancelled, &ledger) }
      if let result = await conclude(result, of: &attempt, &fallback, &ledger) { return result }
    }
    return .cancelled
  }

  /// One attempt, stage by stage, until its head is accepted.
  private func head(
    of attempt: inout Attempt, _ context: RequestContext
  ) async throws -> (HTTPResponse, BodyStream) {
    var context = context
    let answer = try await answer(to: &attempt, &context)
    let signal = attempt.watch?.signal ?? cancellation
    let ending = signal.onCancel { answer.body.cancel() }
    defer { signal.removeHandler(ending) }
    do {
      try await judge(answer, by: request.validators, &attempt, context)
      // Nobody knows when the rest is read.
      endTransfer(&attempt)

      attempt.stage = .filterResponse
      var head = attempt.response ?? answer.head
      try await filterResponse(&head, attempt, context)
      head.body = Data()
      attempt.response = head

      attempt.stage = .transport
      return (head, answer.body)
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  /// Ends the attempt whose head was handed out, and the dispatch.
  func end(_ attempt: Attempt, _ thrown: (any Error)?, _ ledger: Ledger) async -> Ended<HTTPResponse> {
    var (attempt, ledger) = (attempt, ledger)
    var (outcome, verdict) = (Outcome.success(attempt.response ?? HTTPResponse()), Attempt.Verdict.success)
    if thrown != nil { noticeTask() }
    if isCancelled {
      (outcome, verdict) = (.cancelled, .cancelled)
    } else if let thrown {
      var error = requestError(attempt.watch?.expiry ?? thrown, attempt)
      error.streamedLength = attempt.streamedLength
      (outcome, verdict) = (.failure(error), .failure(error, .stands("the head was handed out")))
    }
    close(&attempt, &ledger)
    await end(&attempt, verdict, &ledger)
    return await finish(outcome, ledger, isOpen: true)
  }
}

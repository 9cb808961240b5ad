import Foundation

/// The stages of a dispatch, as in ``Stage``.
///
/// For a stream, ``open()`` runs the stages up to `filterResponse`. When the body has ended,
/// ``resume(_:after:on:)`` runs the remaining stages. If `open()` fails or is cancelled, `open()` also runs
/// the outcome hooks.
extension Dispatch {
  func run(
    _ state: inout DispatchState, completion: (@Sendable (Outcome<R.Response>) async -> Void)? = nil
  ) async -> Outcome<R.Response> {
    if let file { return await downloaded(to: file, on: &state, completion: completion) }
    let output = ValueOutput<R>()
    let outcome = await makeAttempts(for: output, on: &state)
    return await finish(outcome, by: output, on: &state, completion: completion)
  }

  func download(
    to file: FileResponse, on state: inout DispatchState,
    completion: (@Sendable (Outcome<DownloadedFile>) async -> Void)? = nil
  ) async -> Outcome<DownloadedFile> {
    let output = FileOutput<R>(file: file)
    let outcome = await makeAttempts(for: output, on: &state)
    return await finish(outcome, by: output, on: &state, completion: completion)
  }

  func exchange(_ state: inout DispatchState) async -> Outcome<HTTPResponse> {
    let output = ResponseOutput<R>()
    let outcome = await makeAttempts(for: output, on: &state)
    return await finish(outcome, by: output, on: &state)
  }

  func open() async throws -> StreamedResponse {
    var state = DispatchState()
    let output = StreamOutput<R>(isHandedOut: false)
    let outcome = await makeAttempts(for: output, on: &state)
    if case .success(let open) = outcome {
      agent.inFlight.note(.streaming, after: state.attempts, of: entry)
      return StreamedResponse(head: open.head, body: BodyStream(StreamedBody(open)), end: open.end)
    }
    let replaced = await finish(outcome.map(\.head), by: output, on: &state)
    let ended = ended(replaced, on: state)
    return StreamedResponse(of: try ended.received().value, end: ended)
  }

  @inline(never)
  private func downloaded(
    to file: FileResponse, on state: inout DispatchState,
    completion: (@Sendable (Outcome<R.Response>) async -> Void)?
  ) async -> Outcome<R.Response> {
    let outcome = await download(to: file, on: &state) { outcome in
      if let completion, let own = outcome.known(as: R.Response.self) { await completion(own) }
    }
    return outcome.known(as: R.Response.self) ?? .cancelled
  }

  /// Runs the remaining stages after the body of a stream; `thrown` is `nil` for a complete body.
  func resume(
    _ attempt: Attempt, after thrown: (any Error)?, on state: DispatchState
  ) async -> EndedDispatch<HTTPResponse> {
    var state = state
    var outcome = Outcome.success(attempt.answer.response ?? HTTPResponse())
    if let thrown { outcome = sender.outcome(of: thrown, in: attempt) }
    if time.isCancelled { outcome = .cancelled }
    if case .failure(var error) = outcome {
      error.streamedLength = attempt.answer.streamedLength
      outcome = .failure(error)
    }
    close(attempt, on: &state, after: outcome)
    let end: Attempt.End =
      switch outcome {
      case .success: .success
      case .cancelled: .cancelled
      case .failure(let error): .failure(error, .stands("the caller already has the head of the response"))
      }
    await AttemptAccount(dispatch: self).addInDeadline(attempt, as: end, to: &state)
    let fixed = await finish(outcome, by: StreamOutput(isHandedOut: true), on: &state)
    return ended(fixed, on: state)
  }

  /// Makes the attempts with the deadline as a task-local value, which nested dispatches inherit.
  @inline(never)
  private func makeAttemptsInDeadline<Output: DispatchOutput>(
    for output: Output, on state: inout DispatchState
  ) async -> Outcome<Output.Product> where Output.R == R {
    state.isInDeadline = true
    return await AmbientDeadline.$current.withValue(time.passedDeadline) {
      await makeAttempts(for: output, on: &state)
    }
  }

  // Not inlined, so that the frame of a waiting dispatch needs no space for `finish`.
  @inline(never)
  private func makeAttempts<Output: DispatchOutput>(for output: Output, on state: inout DispatchState) async
    -> Outcome<Output.Product>
  where Output.R == R {
    if time.passesDeadlineOn, !state.isInDeadline {
      return await makeAttemptsInDeadline(for: output, on: &state)
    }
    if !accessories.isEmpty { await tell { await $0.requestWillStart(context) } }
    if entry.isRefused, let outcome: Outcome<Output.Product> = refusal() { return outcome }
    if request.isSerial, let outcome: Outcome<Output.Product> = await waitForTurn(&state) { return outcome }
    var fallback: MockFallback?
    while !time.cancellation.isCancelled {
      let (context, start) = AttemptStart(dispatch: self).begin(&state, isAfterFallback: fallback != nil)
      if !accessories.isEmpty { await tell { await $0.attemptWillStart(context) } }
      let attempt = AttemptStart(dispatch: self).attempt(
        context, from: start, fallback: fallback, by: output, on: &state)
      let result =
        context.dispatched.tools.scopes.isEmpty
        ? await makeAttempt(attempt, by: output, on: &state)
        : await makeAttemptInScopes(attempt, by: output, on: &state)
      if Output.streamsBody, case .success = result { return result }
      if let end = Self.end(of: result) {
        await AttemptAccount(dispatch: self).add(attempt, as: end, to: &state)
        return result
      }
      let stands = await RetryStage(dispatch: self).conclude(
        result, of: attempt, fallback: &fallback, on: &state)
      if let stands { return stands }
    }
    return .cancelled
  }

  @inline(__always)
  private static func end<Value>(of result: Outcome<Value>) -> Attempt.End? {
    switch result {
    case .success: .success
    case .cancelled: .cancelled
    case .failure: nil
    }
  }

  @inline(__always)
  private func makeAttempt<Output: DispatchOutput>(
    _ attempt: Attempt, by output: Output, on state: inout DispatchState
  ) async -> Outcome<Output.Product> where Output.R == R {
    let outcome: Outcome<Output.Product>
    do {
      try await sender.send(attempt)
      let receiver = AttemptReceiver(dispatch: self)
      let watch = receiver.watchBody(attempt)
      defer { watch?.end() }
      do {
        try await receiver.head(attempt)
        try await receiver.body(attempt, isHandedOut: Output.streamsBody)
        var response = receiver.response(attempt)
        try await receiver.filter(&response, in: attempt)
        attempt.stage = Output.streamsBody ? .transport : .decode
        outcome = .success(try await output.product(of: response, in: attempt, of: self, on: &state))
      } catch {
        receiver.cancelBody(attempt)
        throw error
      }
    } catch {
      outcome = sender.outcome(of: error, in: attempt)
    }
    if Output.streamsBody, case .success = outcome { return outcome }
    close(attempt, on: &state, after: outcome)
    return outcome
  }

  @inline(never)
  private func makeAttemptInScopes<Output: DispatchOutput>(
    _ attempt: Attempt, by output: Output, on state: inout DispatchState
  ) async -> Outcome<Output.Product> where Output.R == R {
    let (scopes, context) = (context.dispatched.tools.scopes[...], attempt.context)
    var result = Outcome<Output.Product>.cancelled
    await AttemptScopes(scopes).run(in: context) {
      result = await makeAttempt(attempt, by: output, on: &state)
      return AttemptAccount(dispatch: self).report(on: attempt, after: result.map { _ in }, in: state)
    }
    return result
  }

  @inline(__always)
  private func finish<Output: DispatchOutput>(
    _ outcome: Outcome<Output.Value>, by output: Output, on state: inout DispatchState,
    completion: (@Sendable (Outcome<Output.Value>) async -> Void)? = nil
  ) async -> Outcome<Output.Value> where Output.R == R {
    if let turn = state.turn { turn.end() }
    let context = context(after: state)
    let stage = OutcomeStage(dispatch: self)
    let fixed =
      time.passesDeadlineOn
      ? await stage.fixInDeadline(outcome, by: output, context: context)
      : await stage.fix(outcome, by: output, context: context)
    if let completion { await completion(reported(fixed, on: &state)) }
    noteElapsed(&state)
    if !accessories.isEmpty { await tellDidStop(fixed, on: &state) }
    stage.end()
    return fixed
  }

  // Not inlined, because the methods of `time` copy the limits into the caller's frame.

  @inline(never)
  private func noteElapsed(_ state: inout DispatchState) { state.elapsed = time.now - time.started }

  /// Returns the failure of a dispatch refused by a drained agent; `nil` for a cancelled dispatch.
  @inline(never)
  private func refusal<Value>() -> Outcome<Value>? {
    if time.isCancelled { return nil }
    let refusal = Refusal("the agent is drained, and sends no new requests", kind: .drained)
    return .failure(sender.error(refusal, in: Attempt(context, clock: AttemptClock(started: time.started))))
  }

  @inline(never)
  private func waitForTurn<Value>(_ state: inout DispatchState) async -> Outcome<Value>? {
    state.stage = .serialGate
    let start = time.now
    agent.inFlight.note(.waiting(.serialGate), of: entry)
    let turn = await agent.turns.turn(time)
    agent.inFlight.note(.running, of: entry)
    (state.turn, state.turnWait) = (turn.lease, turn.wait)
    guard !time.isCancelled, let expiry = turn.expiry else { return nil }
    let attempt = Attempt(context, clock: AttemptClock(started: start))
    attempt.stage = .serialGate
    return .failure(sender.error(expiry, in: attempt))
  }

  @inline(__always)
  private func close<Value>(
    _ attempt: Attempt, on state: inout DispatchState, after outcome: Outcome<Value>
  ) {
    // The origin's state changes before a held slot is released, so that the next holder sees the change.
    if sender.hasOriginState(attempt) { updateOrigin(attempt, after: outcome) }
    if case .some = agent.configuration.baseSelector { updateBase(attempt, after: outcome) }
    sender.close(attempt)
    (state.stage, state.hasLeftOrigin) = (attempt.stage, attempt.context.hasLeftOrigin)
  }

  // Not inlined, so that the frame of a waiting dispatch needs no space for an error.
  @inline(never)
  private func updateOrigin<Value>(_ attempt: Attempt, after outcome: Outcome<Value>) {
    sender.updateOrigin(attempt, after: outcome.error)
  }

  @inline(never)
  private func updateBase<Value>(_ attempt: Attempt, after outcome: Outcome<Value>) {
    BaseStage(dispatch: self).attemptDidStop(attempt, after: outcome.error)
  }

  @inline(never)
  private func tellDidStop<Value>(_ outcome: Outcome<Value>, on state: inout DispatchState) async {
    let (report, context) = (report(outcome, on: state), context(after: state))
    await tell { await $0.requestDidStop(report, context: context) }
  }

  @inline(never)
  func tell(_ event: (any Accessory) async -> Void) async {
    for accessory in accessories { await event(accessory) }
  }

  @inline(never)
  private func reported<Value>(_ outcome: Outcome<Value>, on state: inout DispatchState) -> Outcome<Value> {
    guard case .failure = outcome else { return outcome }
    return outcome.reported(in: report(outcome, on: state))
  }
}

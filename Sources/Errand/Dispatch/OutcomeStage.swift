/// The stages `preprocess`, `filter` and `completed` of a dispatch, which give the final outcome.
struct OutcomeStage<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  @inline(never)
  func fixInDeadline<Output: DispatchOutput>(
    _ outcome: Outcome<Output.Value>, by output: Output, context: RequestContext
  ) async -> Outcome<Output.Value> where Output.R == R {
    await AmbientDeadline.$current.withValue(dispatch.time.passedDeadline) {
      await fix(outcome, by: output, context: context)
    }
  }

  /// Runs the outcome hooks, and returns the final outcome.
  @inline(__always)
  func fix<Output: DispatchOutput>(
    _ outcome: Outcome<Output.Value>, by output: Output, context: RequestContext
  ) async -> Outcome<Output.Value> where Output.R == R {
    await output.preprocess(outcome, of: dispatch.request, context: context)
    if !dispatch.agent.hooks.isEmpty { await preprocess(outcome, context: context) }
    if !dispatch.accessories.isEmpty { await dispatch.tell { await $0.requestWillStop(context) } }
    let fixed = await filter(outcome, by: output, context: context)
    await output.completed(fixed, of: dispatch.request, context: context)
    if !dispatch.agent.hooks.isEmpty { await completed(fixed, context: context) }
    return fixed
  }

  /// Releases the values of the dispatch, and removes the dispatch from the agent.
  @inline(__always)
  func end() {
    dispatch.context.dispatched.end()
    dispatch.agent.inFlight.remove(dispatch.entry)
  }

  /// Lets hooks replace the outcome; afterwards a cancellation has no effect.
  @inline(__always)
  private func filter<Output: DispatchOutput>(
    _ outcome: Outcome<Output.Value>, by output: Output, context: RequestContext
  ) async -> Outcome<Output.Value> where Output.R == R {
    guard !dispatch.time.cancellation.isCancelled else { return .cancelled }
    var outcome = await output.filter(outcome, of: dispatch.request, context: context)
    if !dispatch.agent.hooks.isEmpty { await filterByHooks(&outcome, by: output, context: context) }
    if case .failure = outcome { outcome = belonging(outcome) }
    return closeSignal() ? .cancelled : outcome
  }

  // Not inlined, because the methods of `time` copy the limits into the caller's frame.

  /// Ends the effect of cancellations; returns true if the dispatch was cancelled before.
  @inline(never)
  private func closeSignal() -> Bool {
    dispatch.time.noticeTask()
    return dispatch.time.cancellation.close()
  }

  @inline(never)
  private func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    for hook in dispatch.agent.hooks { await hook.preprocess(outcome, context: context) }
  }

  @inline(never)
  private func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    for hook in dispatch.agent.hooks { await hook.completed(outcome, context: context) }
  }

  @inline(never)
  private func filterByHooks<Output: DispatchOutput>(
    _ outcome: inout Outcome<Output.Value>, by output: Output, context: RequestContext
  ) async where Output.R == R {
    for hook in dispatch.agent.hooks where !outcome.isCancelled {
      outcome = await output.filter(outcome, by: hook, context: context)
    }
  }

  /// Ties an error to the dispatch, because an error made by a hook may lack the dispatch's redaction.
  @inline(never)
  private func belonging<Value>(_ outcome: Outcome<Value>) -> Outcome<Value> {
    guard case .failure(var error) = outcome else { return outcome }
    error.belong(to: dispatch.context.dispatched)
    return .failure(error)
  }
}

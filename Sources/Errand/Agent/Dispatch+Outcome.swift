extension Dispatch {
  @inline(__always)
  func preprocess(_ outcome: Outcome<R.Response>, _ context: RequestContext) async {
    await request.preprocess(outcome, context: context)
    for hook in agent.hooks { await hook.preprocess(outcome, context: context) }
  }

  /// Lets hooks replace the outcome and fixes it: a cancellation counts until here, never after.
  @inline(__always)
  func filter(_ outcome: Outcome<R.Response>, _ context: RequestContext) async -> Outcome<R.Response> {
    guard !isCancelled else { return .cancelled }
    var outcome = await request.filter(outcome, context: context)
    for hook in agent.hooks where !outcome.isCancelled {
      outcome = await hook.filter(outcome, context: context)
    }
    if case .failure = outcome { outcome = belonging(outcome) }
    noticeTask()
    return cancellation.close() ? .cancelled : outcome
  }

  /// The outcome with an error that knows the dispatch: one that a hook made does not yet.
  @inline(never)
  func belonging<Value>(_ outcome: Outcome<Value>) -> Outcome<Value> {
    guard case .failure(var error) = outcome else { return outcome }
    error.belong(to: context.dispatched)
    return .failure(error)
  }

  @inline(__always)
  func completed(_ outcome: Outcome<R.Response>, _ context: RequestContext) async {
    await request.completed(outcome, context: context)
    for hook in agent.hooks { await hook.completed(outcome, context: context) }
  }

  @inline(__always)
  func tellWillStart() async {
    for accessory in accessories { await accessory.requestWillStart(context) }
  }

  @inline(__always)
  func tellWillStop(_ context: RequestContext) async {
    for accessory in accessories { await accessory.requestWillStop(context) }
  }

  @inline(__always)
  func tellDidStop(_ report: @autoclosure () -> ExchangeReport, _ context: RequestContext) async {
    guard !accessories.isEmpty else { return }
    let report = report()
    for accessory in accessories { await accessory.requestDidStop(report, context: context) }
  }
}

import Errand

struct RecordingHooks: RequestHooks {
  let recorder: Recorder
  var name = "agent"

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    recorder.add("\(name).filterRequest \(context.attempt)")
  }
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    recorder.add("\(name).redirectDecision \(context.attempt)")
    return .follow
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    recorder.add("\(name).filterResponse \(context.attempt)")
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    recorder.add("\(name).retryDecision \(error.kind)")
    return suggested
  }
  func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    recorder.add("\(name).preprocess \(outcome.word)")
  }
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
    recorder.add("\(name).filter \(outcome.word)")
    return outcome
  }
  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    recorder.add("\(name).completed \(outcome.word)")
  }
}

struct RecordingAccessory: Accessory {
  let recorder: Recorder
  var name = "accessory"

  func requestWillStart(_ context: RequestContext) async { recorder.add("\(name).willStart") }
  func attemptWillStart(_ context: RequestContext) async {
    recorder.add("\(name).attemptWillStart \(context.attempt)")
  }
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    recorder.add("\(name).attemptWillSend \(context.attempt)")
  }
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    recorder.add("\(name).attemptDidStop \(attempt.number)")
  }
  func requestWillStop(_ context: RequestContext) async { recorder.add("\(name).willStop") }
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    recorder.add("\(name).didStop \(report.outcome.word)")
  }
}

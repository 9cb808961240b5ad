import Errand
import Foundation

struct ProbeError: Error, Equatable { var stage: String }

/// Records its stages, and may fail at a given stage.
struct StageProbe: Request {
  typealias Response = String

  let recorder: Recorder
  var failing = ""
  var retryPolicy: RetryPolicy = .none
  var accessories: [any Accessory] = []
  var validators: [any ResponseValidator] {
    [.status(200..<300), ProbeValidator(recorder: recorder, failing: failing)]
  }
  var responseSerializer: any ResponseSerializer<String> {
    ProbeSerializer(recorder: recorder, failing: failing)
  }

  var path: String {
    recorder.add("build")
    return failing == "build" ? "ftp://example.com" : "probe"
  }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try step("filterRequest", context.attempt)
  }
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    try step("redirectDecision", context.attempt)
    return .follow
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try step("filterResponse", context.attempt)
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    recorder.add("request.retryDecision \(error.kind)")
    return suggested
  }
  func preprocess(_ outcome: Outcome<String>, context: RequestContext) async {
    recorder.add("request.preprocess \(outcome.word)")
  }
  func filter(_ outcome: Outcome<String>, context: RequestContext) async -> Outcome<String> {
    recorder.add("request.filter \(outcome.word)")
    return outcome
  }
  func completed(_ outcome: Outcome<String>, context: RequestContext) async {
    recorder.add("request.completed \(outcome.word)")
  }

  private func step(_ name: String, _ attempt: Int) throws {
    recorder.add("request.\(name) \(attempt)")
    if failing == name { throw ProbeError(stage: name) }
  }
}

struct ProbeValidator: ResponseValidator {
  let recorder: Recorder
  let failing: String

  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    recorder.add("validate.head \(context.attempt)")
    return failing == "validate.head" ? .refused(ProbeError(stage: failing)) : .accepted
  }
  func validate(_ response: HTTPResponse, context: RequestContext) throws {
    recorder.add("validate.body \(context.attempt)")
    if failing == "validate.body" { throw ProbeError(stage: failing) }
  }
}

struct ProbeSerializer: ResponseSerializer {
  let recorder: Recorder
  let failing: String

  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> String {
    recorder.add("decode \(context.attempt)")
    if failing == "decode" { throw ProbeError(stage: failing) }
    return String(decoding: response.body, as: UTF8.self)
  }
}

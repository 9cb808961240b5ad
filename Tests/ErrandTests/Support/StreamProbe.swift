import Foundation

@testable import Errand

struct StreamProbe: Request {
  typealias Response = HTTPResponse

  let recorder: Recorder
  var failing = ""
  var path = "probe"
  var retryPolicy: RetryPolicy = .none
  var deadline: Duration?
  var limits: TransferLimits?
  var validators: [any ResponseValidator] {
    [.status(200..<300), ProbeValidator(recorder: recorder, failing: failing)]
  }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    recorder.add("request.filterRequest \(context.attempt)")
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    recorder.add("request.filterResponse \(context.attempt)")
    if failing == "filterResponse" { throw ProbeError(stage: failing) }
    response.headers.add("X-Filtered", "yes")
    response.body = Data("not used".utf8)
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    recorder.add("request.retryDecision \(error.kind)")
    return suggested
  }
  func preprocess(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {
    recorder.add("request.preprocess \(outcome.word)")
  }
  func filter(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async -> Outcome<HTTPResponse> {
    recorder.add("request.filter \(outcome.word)")
    return outcome
  }
  func completed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {
    recorder.add("request.completed \(outcome.word)")
  }
}

extension StreamProbe {
  /// From the attempt's start to the delivery of the head.
  static func opened(_ attempt: Int = 1, transport: [String] = ["transport"]) -> [String] {
    attemptBegun(attempt) + transport + [
      "validate.head \(attempt)", "request.filterResponse \(attempt)", "agent.filterResponse \(attempt)",
    ]
  }

  /// From the attempt's start to the transport.
  static func attemptBegun(_ attempt: Int = 1) -> [String] {
    [
      "accessory.attemptWillStart \(attempt)", "request.filterRequest \(attempt)",
      "agent.filterRequest \(attempt)", "accessory.attemptWillSend \(attempt)",
    ]
  }

  static func ended(_ word: String, _ attempt: Int = 1) -> [String] {
    let filter = word == "cancelled" ? [] : ["request.filter \(word)", "agent.filter \(word)"]
    return [
      "accessory.attemptDidStop \(attempt)", "request.preprocess \(word)", "agent.preprocess \(word)",
      "accessory.willStop",
    ] + filter + [
      "request.completed \(word)", "agent.completed \(word)", "accessory.didStop \(word)",
    ]
  }
}

extension Recorder {
  func wait(for event: String) async throws {
    let isThere = OneTime<Bool>()
    on(event) { isThere.set(true) }
    if events.contains(event) { return }
    _ = try await isThere.wait()
  }
}

extension BodyStream {
  func all() async throws -> Data {
    var body = Data()
    for try await chunk in self { body.append(chunk) }
    return body
  }
}

import Errand
import ErrandMocks
import Foundation

extension ExitProbe {
  /// Sends a request that succeeds at the second attempt, and prints each call in order as
  /// `lane|attempt|call`.
  ///
  /// `.ci/pictures` runs this.
  static func printLifecycle() async throws {
    var configuration = AgentConfiguration(retryPolicy: .upTo(1, backoff: .constant(.zero)))
    configuration.authenticator = LifecycleAuthenticator()
    let count = LifecycleCount()
    let transport = MockTransport { request in
      let attempt = count.next()
      printCall("Errand", attempt, "transport, \(attempt == 1 ? 503 : 200)")
      return attempt == 1 ? .status(503) : .data(Data("ok".utf8), contentType: "text/plain")
    }
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: transport, hooks: [LifecycleHooks()],
      accessories: [LifecycleAccessory()], configuration: configuration)
    _ = try await agent.send(LifecycleRequest(count: LifecycleCount()))
  }
}

private func printCall(_ lane: String, _ attempt: Int, _ call: String) {
  print("\(lane)|\(attempt)|\(call)")
}

/// Counts calls from several threads.
private final class LifecycleCount: Sendable {
  private let count = Locked(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

private struct LifecycleRequest: Request {
  typealias Response = String

  let count: LifecycleCount
  var path: String {
    printCall("Errand", count.next(), "build the request")
    return "report"
  }
  var validators: [any ResponseValidator] { [LifecycleValidator()] }
  var responseSerializer: any ResponseSerializer<String> { LifecycleSerializer() }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    printCall("Request", context.attempt, "filterRequest")
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    printCall("Request", context.attempt, "filterResponse")
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    printCall("Request", context.attempt, "retryDecision")
    return suggested
  }
  func preprocess(_ outcome: Outcome<String>, context: RequestContext) async {
    printCall("Request", 0, "preprocess")
  }
  func filter(_ outcome: Outcome<String>, context: RequestContext) async -> Outcome<String> {
    printCall("Request", 0, "filter")
    return outcome
  }
  func completed(_ outcome: Outcome<String>, context: RequestContext) async {
    printCall("Request", 0, "completed")
  }
}

private struct LifecycleValidator: ResponseValidator {
  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    printCall("Errand", context.attempt, "validate the head")
    return StandardValidator.status(200..<300).judge(head: head, context: context)
  }
  func validate(_ response: HTTPResponse, context: RequestContext) throws {
    printCall("Errand", context.attempt, "validate the body")
  }
}

private struct LifecycleSerializer: ResponseSerializer {
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> String {
    printCall("Errand", context.attempt, "decode the body")
    return String(decoding: response.body, as: UTF8.self)
  }
}

private struct LifecycleAuthenticator: Authenticator {
  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    printCall("Agent", context.dispatch.attempt, "authenticate")
  }
}

private struct LifecycleHooks: RequestHooks {
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    printCall("Agent", context.attempt, "filterRequest")
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    printCall("Agent", context.attempt, "filterResponse")
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    printCall("Agent", context.attempt, "retryDecision")
    return suggested
  }
  func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    printCall("Agent", 0, "preprocess")
  }
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
    printCall("Agent", 0, "filter")
    return outcome
  }
  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    printCall("Agent", 0, "completed")
  }
}

private struct LifecycleAccessory: Accessory {
  func requestWillStart(_ context: RequestContext) async { printCall("Accessories", 0, "requestWillStart") }
  func attemptWillStart(_ context: RequestContext) async {
    printCall("Accessories", context.attempt, "attemptWillStart")
  }
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    printCall("Accessories", context.attempt, "attemptWillSend")
  }
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    printCall("Accessories", context.attempt, "attemptDidStop")
  }
  func requestWillStop(_ context: RequestContext) async { printCall("Accessories", 0, "requestWillStop") }
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    printCall("Accessories", 0, "requestDidStop")
  }
}

import Errand
import Synchronization

/// Puts a token on each request.
struct Signing: RequestHooks {
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    request.headers["Authorization"] = "Bearer 0123456789abcdef0123456789abcdef"
  }
}

/// Numbers the requests, and looks for a field in each response.
final class Numbering: RequestHooks {
  private let last = Atomic(0)

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    let number = last.add(1, ordering: .relaxed).newValue
    request.headers["X-Request-Number"] = String(number)
  }

  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    if response.headers.contains("Deprecation") { response.headers["X-Warned"] = "1" }
  }
}

/// Counts the successful outcomes.
final class Counting: RequestHooks {
  private let successes = Atomic(0)

  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    if case .success = outcome { successes.add(1, ordering: .relaxed) }
  }
}

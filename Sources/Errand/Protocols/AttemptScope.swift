/// Hooks that run each attempt of a dispatch in a scope: with a task-local value, or in the span of a trace.
///
/// ```swift
/// struct Naming: AttemptScope {
///   @TaskLocal static var name = ""
///
///   func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async {
///     await Self.$name.withValue("\(context)") { _ = await attempt() }
///   }
///
///   func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
///     request.headers["X-Name"] = Self.name
///   }
/// }
/// ```
///
/// Give the scope to the agent among its ``RequestHooks``. The scope's `filterRequest` runs inside of the
/// scope, once in an attempt and once for each redirect, and adds header fields for the server. The scope
/// surrounds the whole attempt, from building the request to the decoded value, with waits for a slot and
/// for credentials; a stream up to its head. The retry decision, the back-off and the outcome hooks run
/// outside. The scope runs in the task of the dispatch, with the task-local values of the caller.
///
/// An agent without a scope has no cost.
public protocol AttemptScope: RequestHooks {
  /// Runs an attempt by calling `attempt`, and returns soon afterwards.
  ///
  /// - Parameters:
  ///   - context: The context, with the number of the attempt.
  ///   - attempt: Makes the attempt, and returns its report without bodies and without the retry decision.
  ///     Call the closure once; later calls do nothing and return the same report. Without a call, the
  ///     attempt runs outside of the scope.
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async
}

/// The scopes of an agent, each inside of the previous scope.
struct AttemptScopes {
  private let scopes: ArraySlice<any AttemptScope>

  init(_ scopes: ArraySlice<any AttemptScope>) { self.scopes = scopes }

  /// Runs an attempt inside of all scopes, exactly once, whether or not the scopes call the closure.
  @discardableResult
  func run(in context: RequestContext, _ attempt: () async -> AttemptReport) async -> AttemptReport {
    guard let outermost = scopes.first else { return await attempt() }
    let inner = AttemptScopes(scopes.dropFirst())
    var report: AttemptReport?
    await outermost.withAttempt(context) {
      if let report { return report }
      let made = await inner.run(in: context, attempt)
      report = made
      return made
    }
    if let report { return report }
    return await inner.run(in: context, attempt)
  }
}

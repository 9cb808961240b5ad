/// Hooks with a scope around each attempt of a dispatch, to bind a task-local value or open a trace span.
///
/// The scope is the running call of ``withAttempt(_:run:)``.
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
/// Pass an instance to the agent among its ``RequestHooks``. The scope surrounds the attempt, from building
/// the request to decoding the value, with the waits and the signing. For a stream, the scope ends when the
/// head is accepted.
///
/// The retry decision, the back-off and the outcome hooks run outside the scope. The task-local values of the
/// caller are available in the scope.
public protocol AttemptScope: RequestHooks {
  /// Runs an attempt by calling `attempt`.
  ///
  /// - Parameters:
  ///   - context: The context, with the number of the attempt.
  ///   - attempt: Makes the attempt, and returns a report without the response body and the retry decision.
  ///     Call the closure once; later calls return the same report. If the method never calls the closure,
  ///     the attempt runs after the method returns.
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async
}

/// The attempt scopes of an agent; each scope surrounds the following scopes.
struct AttemptScopes {
  private let scopes: ArraySlice<any AttemptScope>

  init(_ scopes: ArraySlice<any AttemptScope>) { self.scopes = scopes }

  /// Runs an attempt inside the scopes, once even if a scope calls the closure twice or never.
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

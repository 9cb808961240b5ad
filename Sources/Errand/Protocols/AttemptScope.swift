/// Hooks around each attempt, to bind a task-local value or open a trace span.
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
/// Pass an instance to the agent among its ``RequestHooks``. The scope lasts from building the request to
/// decoding the value, or to the accepted head of a stream.
///
/// The retry decision, the back-off and the outcome hooks run outside the scope.
public protocol AttemptScope: RequestHooks {
  /// Runs an attempt by calling `attempt`.
  ///
  /// - Parameters:
  ///   - context: The context of the attempt.
  ///   - attempt: Makes the attempt, and returns a report without the response body and the retry decision.
  ///     Later calls return the same report. Without a call, the attempt runs after the method.
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async
}

/// Each scope surrounds the following scopes.
struct AttemptScopes {
  private let scopes: ArraySlice<any AttemptScope>

  init(_ scopes: ArraySlice<any AttemptScope>) { self.scopes = scopes }

  /// Runs an attempt once, even if a scope calls the closure twice or not at all.
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

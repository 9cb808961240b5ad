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
/// Pass an instance among the ``RequestHooks`` of an agent. The scope begins before the request is built. The
/// scope ends with the result of the attempt; for a stream, with the response head. The retry decision and
/// the outcome hooks run outside the scope.
public protocol AttemptScope: RequestHooks {
  /// Surrounds an attempt: call `attempt` within the scope.
  ///
  /// - Parameters:
  ///   - context: The context of the attempt.
  ///   - attempt: Makes the attempt and returns the report, without the response body and the retry decision.
  ///     A second call returns the first report. If `withAttempt` never calls the closure, the attempt runs
  ///     outside the scope.
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async
}

/// The nested scopes of an attempt: each scope surrounds the scopes after it in the list.
struct AttemptScopes {
  private let scopes: ArraySlice<any AttemptScope>

  init(_ scopes: ArraySlice<any AttemptScope>) { self.scopes = scopes }

  /// Makes the attempt once, even if a scope calls the closure twice or not at all.
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

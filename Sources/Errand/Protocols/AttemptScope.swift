/// Hooks that run each attempt of a dispatch in a scope of their own: with a task-local value, or in the span of a trace.
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
/// It is given to the agent among its ``RequestHooks``, and is one: its `filterRequest` runs inside, once an attempt and once for each redirect,
/// and adds the headers that tell the server of the scope. All of an attempt is inside, from the building of the request to the decoded value,
/// with its waits for a slot and for credentials; of a stream up to its head. What is outside: the decision whether another follows, the wait
/// for it, and the hooks of the outcome. It runs in the task of the dispatch, so that task locals of the caller are there.
///
/// An agent without one pays nothing for it.
public protocol AttemptScope: RequestHooks {
  /// Runs an attempt by calling `attempt`, and returns soon after it.
  ///
  /// - Parameters:
  ///   - context: has the number of the attempt.
  ///   - attempt: makes it, and gives the account of it, without bodies and without what follows, which is not decided yet. Called once; it does
  ///     nothing and gives the same account when it is called again. Where it is not called, the attempt is made without the scope.
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async
}

/// The scopes of an agent, one inside the other.
struct AttemptScopes {
  private let scopes: ArraySlice<any AttemptScope>

  init(_ scopes: ArraySlice<any AttemptScope>) { self.scopes = scopes }

  /// Runs an attempt inside them, exactly once, whatever they do.
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

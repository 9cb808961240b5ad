extension RequestAgent {
  /// Lets a transport answer every dispatch that begins in an operation, whatever agent makes it: for tests and
  /// previews.
  ///
  /// ```swift
  /// let users = try await RequestAgent.withTransport(transport) { try await screen.load() }
  /// ```
  ///
  /// It replaces the wire of every agent, also of one that was made long before, and nothing else: hooks, limits and
  /// the clock stay the agent's. Swift Testing gets the same by the trait `.mocked(…)` of `ErrandTesting`, which also
  /// notices what gets past it.
  ///
  /// It covers all ways to dispatch, in the task of the operation, in its child tasks, and in a `Task` made there, also
  /// when that runs longer. It does not cover `Task.detached`, nor callbacks of queues and threads: it is a task local. A
  /// dispatch keeps the transport it began with over all its attempts. The innermost of several counts. What the
  /// operation throws is thrown on.
  ///
  /// - Parameters:
  ///   - transport: answers in place of agents' own transports.
  ///   - isolation: the operation's; that of the caller.
  ///   - operation: what is answered so.
  public static func withTransport<Result>(
    _ transport: any Transport, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await TransportOverride.$current.withValue(
      TransportOverride(transport), operation: operation, isolation: isolation)
  }
}

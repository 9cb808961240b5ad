public import Errand

extension RequestAgent {
  /// Opens connections, so that the next requests to the origin find idle connections.
  ///
  /// libcurl opens a connection only for a request. So the method sends `count` requests at once, each over a
  /// new connection, and waits for the responses. Any status counts as success. The requests pass the agent's
  /// hooks, accessories, limits and destinations. The requests use no authenticator, cookie store, cache or
  /// retry policy, and follow no redirect.
  ///
  /// The transport keeps an idle connection if the response allows reuse, up to
  /// ``/Errand/ConnectionSettings/Pool/maximumIdle``, for the transport's idle lifetime. Over HTTP/2, a
  /// single connection serves many requests.
  ///
  /// ```swift
  /// try await agent.connect(to: "health", count: 4)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path, joined to the agent's base URL, or an absolute URL; empty by default.
  ///   - count: The number of connections; 1 by default.
  ///   - method: The method of the requests; `HEAD` by default. Choose a method and a path without effects on
  ///     the server.
  /// - Throws: The first error as `RequestError`, such as `unsupported` with `URLSessionTransport`;
  ///   `CancellationError` if the calling task is cancelled. An error cancels the other requests.
  public func connect(to path: String = "", count: Int = 1, method: HTTPMethod = .head) async throws {
    var limits = configuration.limits
    limits.opensConnection = true
    let request = ConnectionRequest(path: path, method: method, limits: limits)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<max(count, 0) { group.addTask { try await self.send(request) } }
      // Not `waitForAll()`, which throws only after the end of all tasks.
      while try await group.next() != nil {}
    }
  }
}

private struct ConnectionRequest {
  let path: String
  let method: HTTPMethod
  let limits: TransferLimits?
}

extension ConnectionRequest: Request {
  typealias Response = Void

  var validators: [any ResponseValidator] { [] }
  var retryPolicy: RetryPolicy { .none }
  var redirectPolicy: RedirectPolicy { .none }
  var authentication: Authentication { .none }
  var coalescing: CoalescingPolicy { .none }
  var cookies: CookiePolicy { .none }
  var cachePolicy: CachePolicy { .none }
  var comment: String? { "opens a connection" }
}

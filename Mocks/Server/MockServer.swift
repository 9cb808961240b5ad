public import Errand
public import Foundation

/// An HTTP/1.1 server on a loopback port that gives scripted answers and records requests.
///
///     let server = try MockServer()
///     server.route(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#))
///     server.route(.post, "/echo") { request in .data(request.body) }
///     let agent = RequestAgent(baseURL: server.baseURL)
///
/// A server can also misbehave: see ``AnswerStep`` and the methods of ``MockAnswer``. If a client closes the
/// sending half of the connection, the server closes the connection without the remaining answer.
///
/// The server runs on a separate thread. The server stops when released or when ``stop()`` is called. Every
/// method may be called from any thread.
///
/// A request gets a 404 if no route, stub or queued answer matches and the request is not forwarded. The body
/// of the 404 lists the nearest routes and stubs.
public final class MockServer: StubbedMock, Sendable {
  /// A loopback address to listen on.
  public enum Loopback: Sendable {
    /// 127.0.0.1.
    case ipv4
    /// ::1.
    case ipv6
  }

  /// The root URL, such as `http://127.0.0.1:49152`; the scheme is `https` with TLS.
  public let baseURL: URL
  /// The port, given or chosen by the system.
  public let port: Int
  /// The PEM file with the certificate of the server's authority; `nil` without TLS.
  ///
  /// Pass the file to `CurlTransport(certificateAuthorities:)` or
  /// ``/Errand/TLSSettings/certificateAuthorities``. The file is deleted after the release of all servers and
  /// ``ServerTLS`` values with the authority.
  public var authority: URL? { identity?.authority }

  /// The hash of the server's public key, for ``/Errand/TLSSettings/pins``; `nil` without TLS.
  public var publicKeyPin: TLSSettings.PublicKeyPin? { identity?.pin }

  /// The list of routes and stubs; use the methods of the server instead.
  public var stubs: StubList { script.stubs }

  let identity: (any ServerIdentity)?
  private let script: ServerScript
  private let journal = ServerJournal()
  private let control: LoopControl

  /// Starts a server; the server listens when the initializer returns.
  ///
  /// Throws a `TransportError` for a port in use or outside of 0...65535, and for invalid or unsupported TLS
  /// settings.
  ///
  /// - Parameters:
  ///   - loopback: the address to listen on.
  ///   - port: the port; 0, the default, for a free port chosen by the system. Concurrent tests need
  ///     different ports.
  ///   - tls: the TLS settings, such as `.on`; `nil`, the default, for plain HTTP. Linux only; see
  ///     ``ServerTLS``.
  ///   - readingPace: the limit on the reading rate; `nil`, the default, for no limit.
  ///   - maximumConnections: the maximum number of open connections; unlimited by default. Further clients
  ///     wait until a connection ends.
  ///   - passing: the rule for forwarding requests to other servers; `nil`, the default: no forwarding. The
  ///     rule's transport sends a request to a host of the rule if no route, stub or queued answer matches.
  ///     If forwarding fails, the client gets a 502 with the reason. Configure `http://127.0.0.1:port` as the
  ///     client's proxy, for `http` URLs only, because the server has no `CONNECT` tunnels.
  public init(
    on loopback: Loopback = .ipv4, port: Int = 0, tls: ServerTLS? = nil, readingPace: ReadingPace? = nil,
    maximumConnections: Int = .max, passing: PassThrough? = nil
  ) throws {
    let identity = try tls?.makeIdentity()
    self.identity = identity
    control = try LoopControl()
    let listener = try Listener(on: loopback, port: port, hasSmallReceiveBuffer: readingPace != nil)
    script = ServerScript(
      journal,
      forwardingBy: passing.map { [control] in ProxyForwarder($0, from: listener.port, wake: control.wake) })
    self.port = listener.port
    let host = loopback == .ipv4 ? "127.0.0.1" : "[::1]"
    baseURL = URL(string: "\(tls == nil ? "http" : "https")://\(host):\(listener.port)")!
    control.start { [control, script, journal] in
      let loop = ServerLoop(
        listener: listener, connectionLimit: maximumConnections, identity: identity, pace: readingPace,
        control: control, script: script, journal: journal)
      loop.run()
    }
  }

  deinit { stop() }

  /// Closes all connections and the port, and removes routes, stubs and queued answers.
  ///
  /// Returns after the server has stopped. Inside a closure of a route or stub, the method returns at once,
  /// and the server stops after the closure.
  public func stop() { control.stop() }

  /// Creates a client certificate with a key, signed by the server's authority.
  ///
  ///     settings.tls.clientCertificates = ["127.0.0.1": try server.clientCertificate(named: "Ada")]
  ///
  /// The file is deleted after the release of all servers and ``ServerTLS`` values with the authority. Throws
  /// if the server has no TLS, or if the name is empty or longer than 64 characters.
  ///
  /// - Parameter name: the common name of the subject.
  public func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate {
    guard let identity else {
      throw TransportError(
        .invalidRequest, "a server without TLS creates no certificates: use MockServer(tls: .on)")
    }
    return try identity.clientCertificate(named: name)
  }
}

extension MockServer {
  /// Adds a route for a method and a path, with answers in order; the last answer repeats.
  ///
  /// If several routes and stubs match, the newest route or stub with answers left gives the answer. Keep the
  /// returned route to read ``Stub/calls`` or to remove the route.
  ///
  /// - Parameters:
  ///   - method: the method; `nil` for every method.
  ///   - path: a path such as `/users/7`, in the syntax of a ``Stub``, possibly with wildcards and a query.
  ///   - answers: the answers.
  ///   - fileID: the file shown in messages about the route; the caller's file by default.
  ///   - line: the line shown in messages about the route; the caller's line by default.
  @discardableResult
  public func route(
    _ method: HTTPMethod?, _ path: String, answers: MockAnswer..., fileID: String = #fileID,
    line: Int = #line
  ) -> Stub {
    add(route: Stub(RequestPattern(method, url: path), answers: answers, fileID: fileID, line: line))
  }

  /// Adds a route with a closure that makes the answer to each request.
  ///
  /// If the closure throws, the client gets a 500 with the error's text. The closure blocks the server's
  /// thread, so return quickly, and use ``MockAnswer/delayed(by:)`` for delays. A closure that captures the
  /// server keeps the server alive until ``stop()`` or the removal of the route.
  @discardableResult
  public func route(
    _ method: HTTPMethod?, _ path: String, fileID: String = #fileID, line: Int = #line,
    answer: @escaping @Sendable (_ request: ReceivedRequest) throws -> MockAnswer
  ) -> Stub {
    add(route: Stub(method, path, fileID: fileID, line: line, answer: answer))
  }

  private func add(route: Stub) -> Stub {
    stubs.add([route], isRoute: true)
    return route
  }

  /// Adds answers to the queue, each for one request without a matching route or stub.
  public func enqueue(_ answers: MockAnswer...) { script.enqueue(answers) }
}

extension MockServer {
  /// Removes all recorded requests and calls, and restarts routes, stubs and scenarios.
  ///
  /// Queued answers, connections, connection counts and ``failedHandshakes`` stay. Request numbers continue.
  public func reset() {
    journal.reset()
    stubs.reset()
  }

  /// The complete requests since the start of the server or the last ``reset()``, in order of arrival.
  ///
  /// Excludes requests ignored by a ``PassThrough``. A request is recorded before the server answers.
  public var requests: [ReceivedRequest] { journal.requests }

  /// The recorded requests that got a 404, because no route, stub or queued answer matched.
  public var unmatched: [ReceivedRequest] { journal.unmatched }

  /// The number of recorded requests.
  public var requestCount: Int { journal.requestCount }

  /// Returns the number of recorded requests with a method and a path in the syntax of a ``Stub``.
  public func requestCount(_ method: HTTPMethod?, _ path: String) -> Int {
    let pattern = RequestPattern(method, url: path)
    return journal.requests.count { pattern.matches($0) }
  }

  /// Waits until `count` requests are recorded, the server has stopped, or the task is cancelled.
  public func waitForRequests(_ count: Int = 1) async { await journal.wait(for: count) }

  /// Waits until `count` requests are recorded, and returns all recorded requests.
  ///
  ///     let request = try await server.waitForRequests(within: .seconds(2))[0]
  ///
  /// - Parameters:
  ///   - count: the number of requests since the start of the server or since ``reset()``; 1 by default.
  ///   - limit: the timeout, in real time.
  ///   - fileID: the file of the call; the caller's file by default.
  ///   - line: the line of the call; the caller's line by default.
  /// - Throws: ``UnexpectedCalls``, with the requests so far, if the timeout passes or the server stops
  ///   first; `CancellationError` if the task is cancelled first.
  @discardableResult
  public func waitForRequests(
    _ count: Int = 1, within limit: Duration, fileID: String = #fileID, line: Int = #line
  ) async throws -> [ReceivedRequest] {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.journal.wait(for: count) }
      // The clock overflows for the longest durations.
      group.addTask { try? await Task.sleep(for: min(limit, .seconds(1 << 30))) }
      await group.next()
      group.cancelAll()
    }
    let found = journal.requests
    if found.count >= count { return found }
    try Task.checkCancellation()
    let came = "\(found.count) request\(found.count == 1 ? "" : "s") came"
    let time = journal.isClosed ? "before the server stopped" : "within \(limit)"
    throw UnexpectedCalls(
      problem: "\(came) \(time), not \(count)", calls: found, lines: found.map { $0.line(hiding: []) },
      fileID: fileID, line: line)
  }

  /// The number of accepted connections, open or closed.
  public var connectionCount: Int { journal.connectionCount }

  /// The number of connections closed by the client or the server.
  public var closedConnectionCount: Int { journal.closedConnectionCount }

  /// Waits until `count` connections have ended, the server has stopped, or the task is cancelled.
  public func waitForClosedConnections(_ count: Int = 1) async {
    await journal.waitForClosedConnections(count)
  }

  /// The reasons of failed TLS handshakes, one for each failed connection.
  public var failedHandshakes: [String] { journal.failedHandshakes }

  /// The highest number of requests answered at the same time since the start of the server.
  public var maximumConcurrency: Int { journal.maximumConcurrency }
}

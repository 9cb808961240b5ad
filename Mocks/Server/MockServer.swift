public import Errand
public import Foundation

/// An HTTP/1.1 server on a loopback port that gives scripted answers and records requests.
///
///     let server = try MockServer()
///     server.route(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#))
///     server.route(.post, "/echo") { request in .data(request.body) }
///     let agent = RequestAgent(baseURL: server.baseURL)
///
/// For faulty answers, see ``AnswerStep`` and ``AnswerFault``. If a client closes its sending half of the
/// connection, the server closes the connection.
///
/// The server runs on its own thread until ``stop()`` or release. A request that no route, stub, queued
/// answer or ``PassThrough`` takes gets the status 404 and a list of the nearest routes and stubs.
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
  /// ``/Errand/TLSSettings/certificateAuthorities``. The file is deleted when the last server and
  /// ``ServerTLS`` value with this authority are released.
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
  /// Throws a `TransportError` for an invalid port or a port in use, and for invalid or unsupported TLS
  /// settings.
  ///
  /// - Parameters:
  ///   - loopback: The loopback address.
  ///   - port: 0, the default, for a free port.
  ///   - tls: `nil`, the default, for plain HTTP. TLS requires Linux.
  ///   - readingPace: `nil`, the default, for no limit.
  ///   - maximumConnections: the maximum number of open connections. Further clients wait.
  ///   - passing: a rule for forwarding requests of clients that use the server as a proxy for `http` URLs.
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
  /// Waits until the server has ended. In a closure of a route, returns without waiting, because the closure
  /// runs on the server's thread.
  public func stop() { control.stop() }

  /// Creates a client certificate with a key, signed by the server's authority.
  ///
  /// Throws without TLS, and for a common name that is empty or longer than 64 characters.
  public func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate {
    guard let identity else {
      throw TransportError(
        .invalidRequest, "a server without TLS creates no certificates: use MockServer(tls: .on)")
    }
    return try identity.clientCertificate(named: name)
  }
}

extension MockServer {
  /// Adds a route with answers in order; the last answer repeats.
  ///
  /// If several routes or stubs match and have answers left, the newest route or stub answers. For the syntax
  /// of the path, see ``Stub``. A method of `nil` means any method.
  @discardableResult
  public func route(
    _ method: HTTPMethod?, _ path: String, answers: MockAnswer..., fileID: String = #fileID,
    line: Int = #line
  ) -> Stub {
    add(route: Stub(RequestPattern(method, url: path), answers: answers, fileID: fileID, line: line))
  }

  /// Adds a route with a closure, which runs on the server's thread and must not wait.
  ///
  /// If the closure throws, the server responds with status 500. A closure that captures the server keeps the
  /// server alive until ``stop()`` or the removal of the route.
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

  /// Adds answers to the queue.
  ///
  /// Each queued answer is used once, for a request that no route or stub answers.
  public func enqueue(_ answers: MockAnswer...) { script.enqueue(answers) }
}

extension MockServer {
  /// Removes the recorded requests and calls, and restarts routes, stubs and scenarios.
  ///
  /// Queued answers, connections and ``failedHandshakes`` stay. Request numbers continue.
  public func reset() {
    journal.reset()
    stubs.reset()
  }

  /// The complete requests since the start or the last ``reset()``, in order of arrival.
  ///
  /// Requests ignored by a ``PassThrough`` are not recorded.
  public var requests: [ReceivedRequest] { journal.requests }

  /// The recorded requests that got a 404, because no route, stub, queue or `PassThrough` answered.
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
  /// If `limit` passes in real time or the server stops first, throws ``UnexpectedCalls``. If the task is
  /// cancelled first, throws `CancellationError`.
  @discardableResult
  public func waitForRequests(
    _ count: Int = 1, within limit: Duration, fileID: String = #fileID, line: Int = #line
  ) async throws -> [ReceivedRequest] {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.journal.wait(for: count) }
      // A longer sleep could overflow the clock.
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

  /// The number of closed connections.
  public var closedConnectionCount: Int { journal.closedConnectionCount }

  /// Waits until `count` connections are closed, the server has stopped, or the task is cancelled.
  public func waitForClosedConnections(_ count: Int = 1) async {
    await journal.waitForClosedConnections(count)
  }

  /// The reasons of failed TLS handshakes.
  public var failedHandshakes: [String] { journal.failedHandshakes }

  /// The highest number of requests answered at the same time since the start of the server.
  public var maximumConcurrency: Int { journal.maximumConcurrency }
}

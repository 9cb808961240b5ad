public import Errand
public import Foundation

/// A real HTTP/1.1 server on a loopback port, scripted by the test, recording what it receives.
///
///     let server = try MockServer()
///     server.route(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#))
///     server.route(.post, "/echo") { request in .data(request.body) }
///     let agent = RequestAgent(baseURL: server.baseURL)
///
/// It misbehaves when it is told to, by an ``AnswerStep`` or what ``MockAnswer`` makes of them. A client that ends its half of
/// the connection counts as gone, as its leaving looks no different: what it is still to be answered is not sent.
///
/// It has a thread of its own and keeps connections open between requests. It stops when it is released or told
/// to. Every method may be called from any thread; several servers run side by side. A request that no route, no stub
/// and no queued answer takes gets 404 and a text with the routes and stubs that came nearest, and what differed, the nearest first;
/// ``unmatched`` has the request.
public final class MockServer: StubbedMock, Sendable {
  /// A loopback address to listen on.
  public enum Loopback: Sendable {
    /// 127.0.0.1.
    case ipv4
    /// ::1.
    case ipv6
  }

  /// The URL of the root, such as `http://127.0.0.1:49152`; with TLS its scheme is `https`.
  public let baseURL: URL
  /// The port: the one it was given, else the one that the system chose.
  public let port: Int
  /// With TLS, the file of the certificate that its clients are to trust, in PEM form; `nil` without.
  ///
  /// It is for `CurlTransport(certificateAuthorities:)` or ``/Errand/TLSSettings/certificateAuthorities``, and is removed with the server.
  public var authority: URL? { identity?.authority }

  /// With TLS, the hash of the server's public key, for ``/Errand/TLSSettings/pins``; `nil` without.
  public var publicKeyPin: TLSSettings.PublicKeyPin? { identity?.pin }

  /// Its routes and stubs; ask the server.
  public var stubs: StubList { script.stubs }

  let identity: (any ServerIdentity)?
  private let script: ServerScript
  private let journal = ServerJournal()
  private let control: LoopControl

  /// Starts a server, which listens when this returns.
  ///
  /// Throws a `TransportError` when the system has no socket for it, lacks the address, or lacks what TLS needs, and where another program
  /// listens on the port.
  ///
  /// - Parameters:
  ///   - loopback: the address to listen on.
  ///   - port: the port to listen on, for clients whose address is fixed; 0, the default, for a free one that the system chooses. Tests that run
  ///     at the same time need ports of their own.
  ///   - tls: how it speaks TLS, such as `.on`; `nil`, the default, is in the clear. Linux only: see ``ServerTLS``.
  ///   - readingPace: how slowly it reads; `nil`, the default, reads what there is.
  ///   - maximumConnections: how many connections it has open at once. Further clients are connected by the system,
  ///     but nothing of them is read until one of the others ends.
  ///   - passing: what it hands on, as a proxy does; `nil`, the default, for nothing. A request that names another server and that nothing
  ///     here answers is sent there by the transport of the rule, and its answer given when it is there whole, without its trailers. A
  ///     client reaches it as `http://127.0.0.1:port` of its settings for proxies, by http alone: there are no tunnels. A failure is
  ///     a 502 with the reason. Content codings are not asked for.
  public init(
    on loopback: Loopback = .ipv4, port: Int = 0, tls: ServerTLS? = nil, readingPace: ReadingPace? = nil,
    maximumConnections: Int = .max, passing: PassThrough? = nil
  ) throws {
    let identity = try tls?.makeIdentity()
    self.identity = identity
    control = try LoopControl()
    let listener = try Listener(on: loopback, port: port, keepsLittleInput: readingPace != nil)
    script = ServerScript(
      journal, handingOn: passing.map { [control] in Handover($0, from: listener.port, wake: control.wake) })
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

  /// Closes every connection and the port, and forgets routes and queue; what was recorded stays.
  ///
  /// It returns when the server's thread has ended; called by a route's closure it returns at once, and that
  /// closure's answer is still sent. A second call does nothing.
  public func stop() { control.stop() }

  /// Makes a certificate of a client by the server's authority, with its key, to be shown by
  /// ``/Errand/TLSSettings/clientCertificates``.
  ///
  ///     settings.tls.clientCertificates = ["127.0.0.1": try server.clientCertificate(named: "Ada")]
  ///
  /// Its file is removed with the server. Throws without TLS, and for a name that no certificate has: it is of 1 to 64 letters.
  ///
  /// - Parameter name: the subject's common name.
  public func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate {
    guard let identity else {
      throw TransportError(
        .invalidRequest, "a server without TLS makes no certificates: MockServer(tls: .on) does")
    }
    return try identity.clientCertificate(named: name)
  }
}

/// What it answers.
extension MockServer {
  /// Answers a method and a path, in order; the last answer repeats.
  ///
  /// Without any answer it is 200 without a body. Of several routes and stubs that match, the one added last answers. What
  /// comes back is the route, to be asked for its ``Stub/calls`` or to be removed.
  ///
  /// - Parameters:
  ///   - method: the method; `nil` for every method.
  ///   - path: a path such as `/users/7`, with the wildcards and the query of a ``Stub``.
  ///   - answers: what it answers.
  ///   - fileID: where it is written; the caller's file by default.
  ///   - line: where it is written; the caller's line by default.
  @discardableResult
  public func route(
    _ method: HTTPMethod?, _ path: String, answers: MockAnswer..., fileID: String = #fileID,
    line: Int = #line
  ) -> Stub {
    add(route: Stub(RequestPattern(method, url: path), answers: answers, fileID: fileID, line: line))
  }

  /// Answers a method and a path by a closure; what it throws becomes a 500 with the error's text.
  ///
  /// The closure runs on the server's thread, which does nothing else meanwhile: be quick, and use
  /// ``MockAnswer/delayed(by:)`` to wait. A closure that captures the server keeps it alive until ``stop()``.
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

  /// Adds answers to the queue: each is given once, in order, to whatever request no route takes.
  public func enqueue(_ answers: MockAnswer...) { script.enqueue(answers) }
}

/// What it received.
extension MockServer {
  /// Forgets what it has received and the calls of its routes and stubs; these and the scenarios begin anew.
  ///
  /// The queue stays, and so do connections and their counts. The numbers of requests go on.
  public func reset() {
    journal.reset()
    stubs.reset()
  }

  /// Every complete request, in the order of arrival, matched or not; it is there before it is answered.
  public var requests: [ReceivedRequest] { journal.requests }

  /// The requests that neither a route nor the queue answered.
  public var unmatched: [ReceivedRequest] { journal.unmatched }

  /// The number of requests.
  public var requestCount: Int { journal.requestCount }

  /// The number of requests that a route of this method and path would match; see ``Stub``.
  public func requestCount(_ method: HTTPMethod?, _ path: String) -> Int {
    let pattern = RequestPattern(method, url: path)
    return journal.requests.count { pattern.matches($0) }
  }

  /// Returns when so many requests have come, when the server has stopped, or when the task is cancelled.
  public func waitForRequests(_ count: Int = 1) async { await journal.wait(for: count) }

  /// Returns the requests when so many have come; throws ``UnexpectedCalls``, which names those that have, when they do not come in
  /// time, or the server stops before.
  ///
  ///     let request = try await server.waitForRequests(within: .seconds(2))[0]
  ///
  /// - Parameters:
  ///   - count: how many, since the server was made or ``reset()``; one by default.
  ///   - limit: how long it waits at most, in real time.
  ///   - fileID: where it is asked; the caller's file by default.
  ///   - line: where it is asked; the caller's line by default.
  /// - Throws: `CancellationError` when the task is cancelled.
  @discardableResult
  public func waitForRequests(
    _ count: Int = 1, within limit: Duration, fileID: String = #fileID, line: Int = #line
  ) async throws -> [ReceivedRequest] {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.journal.wait(for: count) }
      // A clock has no place for the longest durations.
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

  /// How many connections were made, open or closed by now.
  public var connectionCount: Int { journal.connectionCount }

  /// How many connections have ended, at either end.
  public var closedConnectionCount: Int { journal.closedConnectionCount }

  /// Returns when so many connections have ended, when the server has stopped, or when the task is cancelled.
  public func waitForClosedConnections(_ count: Int = 1) async {
    await journal.waitForClosedConnections(count)
  }

  /// Why TLS was not agreed on, once for each connection where it was not, in the words of OpenSSL.
  public var failedHandshakes: [String] { journal.failedHandshakes }

  /// The greatest number of requests that were being answered at the same time.
  public var maximumConcurrency: Int { journal.maximumConcurrency }
}

#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: the steps of a connection", .timeLimit(.minutes(5)))
struct CurlConnectionStepsTests {
  typealias Step = TransportSummary.ConnectionStep

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
  private let steps = Locked<[Step]>([])
  private let delays = Locked<[Duration]>([])

  private func send(
    _ url: URL, by transport: CurlTransport, cancellation: CancellationSignal = CancellationSignal()
  ) async throws {
    var request = TransportRequest(
      HTTPRequest(url: url), timeout: .seconds(60), cancellation: cancellation)
    request.connectionStep = { [steps, delays] step, delay in
      steps.withLock { $0.append(step) }
      delays.withLock { $0.append(delay) }
    }
    _ = try await transport.send(request).body.all()
  }

  private var taken: [Step] {
    steps.withLock { steps in
      defer { steps = [] }
      return steps
    }
  }

  private func hasPlausibleDelays() -> Bool {
    delays.withLock { $0.allSatisfy { $0 >= .zero && $0 < .seconds(60) } }
  }

  @Test("A connection has its steps, and a request over an open connection has none")
  func plain() async throws {
    let server = RawServer.answering(Self.ok)
    let transport = CurlTransport()
    try await send(server.url(), by: transport)
    #expect(taken == [.connectStarted(address: "127.0.0.1:\(server.port)"), .connectEnded])
    try await send(server.url(), by: transport)
    #expect(taken == [])
    #expect(hasPlausibleDelays())
  }

  @Test("The lookup of a name comes first")
  func lookup() async throws {
    let server = RawServer.answering(Self.ok)
    let url = try #require(URL(string: "http://found.errand.test:\(server.port)/"))
    try await send(url, by: CurlTransport())
    #expect(
      taken == [
        .lookupStarted, .lookupEnded, .connectStarted(address: "127.0.0.1:\(server.port)"), .connectEnded,
      ])
  }

  @Test("TLS has a start and an end", .enabled(if: OpenSSL.system != nil))
  func handshake() async throws {
    let server = try RawServer.secure { connection in
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    try await send(server.url(), by: CurlTransport(certificateAuthorities: TLSIdentity.certificate))
    #expect(
      taken == [
        .connectStarted(address: "127.0.0.1:\(server.port)"), .connectEnded, .handshakeStarted,
        .handshakeEnded,
      ])
    #expect(hasPlausibleDelays())
  }

  @Test(
    "A refused connection, and a handshake that fails, have a start and no end",
    .enabled(if: OpenSSL.system != nil))
  func failures() async throws {
    let port = LoopbackSocket.refusingPort()
    let closed = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    await #expect(throws: TransportError.self) { try await send(closed, by: CurlTransport()) }
    #expect(taken == [.connectStarted(address: "127.0.0.1:\(port)")])
    let server = try RawServer.secure { _ in }
    await #expect(throws: TransportError.self) { try await send(server.url(), by: CurlTransport()) }
    // libcurl 7.88 tells no time of the TCP connection after a failed handshake.
    let later: [TransportSummary.ConnectionStep] =
      CurlLibrary.speaksHTTP2 ? [.connectEnded, .handshakeStarted] : []
    #expect(taken == [.connectStarted(address: "127.0.0.1:\(server.port)")] + later)
    #expect(hasPlausibleDelays())
  }

  @Test("Only the lookup of the peer's name is a step, and a proxy or a destination is the peer")
  func peers() async throws {
    let server = RawServer.answering(Self.ok)
    let connected: [Step] = [.connectStarted(address: "127.0.0.1:\(server.port)"), .connectEnded]
    let named = try #require(URL(string: "http://named.errand.test/"))
    let proxy = try #require(Proxy("http://127.0.0.1:\(server.port)"))
    var settings = ConnectionSettings()
    settings.proxies = .all(proxy)
    try await send(named, by: try CurlTransport(settings))
    #expect(taken == connected)
    settings.proxies = .none
    settings.routes = ["*": .destination("127.0.0.1", port: Int(server.port))]
    try await send(named, by: try CurlTransport(settings))
    #expect(taken == connected)
    settings.routes = ["*": .destination("found.errand.test", port: Int(server.port))]
    try await send(try #require(URL(string: "http://127.0.0.2/")), by: try CurlTransport(settings))
    #expect(taken == [.lookupStarted, .lookupEnded] + connected)
  }

  @Test("An agent reports the steps as events of the attempt, with the time of each step")
  func events() async throws {
    let server = RawServer.answering(Self.ok)
    let agent = RequestAgent(baseURL: server.url(), transport: CurlTransport())
    let events = agent.events
    for _ in 0..<2 { try await agent.send(.get("a")) }
    var heard: [AgentEvent] = []
    for await event in events {
      heard.append(event)
      if event.kind == .requestStopped, event.id == 2 { break }
    }
    #expect(
      heard.map(\.description) == [
        "1: started", "activity began", "1: attempt 1 started",
        "1: connecting to 127.0.0.1:\(server.port) for attempt 1", "1: connected for attempt 1",
        "1: attempt 1 stopped", "activity ended", "1: stopped", "2: started", "activity began",
        "2: attempt 1 started", "2: attempt 1 stopped", "activity ended", "2: stopped",
      ])
    #expect(heard[3].time >= heard[2].time && heard[4].time <= heard[5].time)
  }

  @Test("Accessories that ask get the steps in order, before the end of the attempt")
  func accessories() async throws {
    let server = RawServer.answering(Self.ok)
    let log = Recorder()
    let watching = EventAccessory(
      willSend: { _, _ in log.add("send") },
      connecting: { step, time, context in
        for _ in 0..<100 { await Task.yield() }
        log.add("\(step), attempt \(context.attempt), \(abs(time.timeIntervalSinceNow) < 60)")
      }, attemptStopped: { _, _ in log.add("stopped") })
    let agent = RequestAgent(
      baseURL: server.url(), transport: CurlTransport(), accessories: [EventAccessory(), watching])
    for _ in 0..<2 { try await agent.send(.get("a")) }
    #expect(
      log.events == [
        "send", "connecting to 127.0.0.1:\(server.port), attempt 1, true", "connected, attempt 1, true",
        "stopped", "send", "stopped",
      ])
    #expect(watching.watchesConnections && !EventAccessory().watchesConnections)
  }

  @Test("A step after the end of the attempt is not reported, and concurrent steps are all reported")
  func late() async {
    let count = Locked(0)
    let accessory = EventAccessory(connecting: { _, _, _ in count.withLock { $0 += 1 } })
    let notifier = ConnectionNotifier.make(for: [accessory], context: .test(), clock: .continuous)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 { group.addTask { notifier?.note(.connectEnded, after: .zero) } }
    }
    await notifier?.end()
    #expect(count.withLock { $0 } == 1000)
    notifier?.note(.connectEnded, after: .zero)
    await notifier?.end()
    #expect(count.withLock { $0 } == 1000)
    let none = ConnectionNotifier.make(for: [EventAccessory()], context: .test(), clock: .continuous)
    #expect(none === nil)
  }
}
#endif

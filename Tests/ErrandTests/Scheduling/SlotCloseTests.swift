import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Never completes a response.
///
/// At each request, the server counts the client's sockets in the same process, because a child process of
/// another test delays the end of the server's sockets.
private final class CountingServer: Sendable {
  private struct State {
    var running = 0
    var most = 0
    var paths: [String] = []
  }

  let port: UInt16
  private let listener: Int32
  private let state = Locked(State())

  /// `answer`: the first bytes of a response that never ends.
  init(answer: String) {
    listener = LoopbackSocket.listening()
    port = LoopbackSocket.port(of: listener)
    Thread.detachNewThread { [listener, port, state] in
      Self.run(listener) { running in
        state.withLock { $0.running = running }
      } didBegin: { request, running in
        let line = String(decoding: request.prefix { $0 != 0x0D }, as: UTF8.self)
        let open = LoopbackSocket.connectionCount(to: port)
        state.withLock { state in
          (state.running, state.most) = (running, max(state.most, open))
          state.paths.append(String(line.split(separator: " ")[1].dropFirst()))
        }
        return Array(answer.utf8)
      }
    }
  }

  deinit { LoopbackSocket.shutDown(listener) }

  var running: Int { state.withLock { $0.running } }
  /// Counted at the arrival of a request.
  var most: Int { state.withLock { $0.most } }
  /// Without the slash.
  var paths: [String] { state.withLock { $0.paths } }

  private static func run(
    _ listener: Int32, didEnd: (Int) -> Void, didBegin: ([UInt8], Int) -> [UInt8]
  ) {
    var (waiting, running) = ([Int32](), Set<Int32>())
    while true {
      var polled = ([listener] + waiting + running).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      if polled[0].revents != 0 {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { break }
        waiting.append(socket)
      }
      let begun = waiting.filter { hasBytes($0) }
      for socket in running where isClosed(socket) {
        LoopbackSocket.close(socket)
        running.remove(socket)
        didEnd(running.count)
      }
      for socket in begun {
        waiting.removeAll { $0 == socket }
        let request = LoopbackSocket.receive(from: socket)
        guard !request.isEmpty else {
          LoopbackSocket.close(socket)
          continue
        }
        running.insert(socket)
        let answer = didBegin(request, running.count)
        if !answer.isEmpty { _ = answer.withUnsafeBytes { LoopbackSocket.send($0, to: socket) } }
      }
    }
    for socket in [listener] + waiting + running { LoopbackSocket.close(socket) }
  }

  private static func hasBytes(_ socket: Int32) -> Bool {
    var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  private static func isClosed(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return hasBytes(socket) && recv(socket, &byte, 1, Int32(MSG_PEEK)) <= 0
  }
}

private final class ClosingExchange: TransferExchange {
  let request: TransportRequest
  let mailbox = Locked(TransferMailbox())
  private let stopped = Locked(false)

  init(_ request: TransportRequest) { self.request = request }

  var isStopped: Bool { stopped.withLock { $0 } }

  func begin() {}
  func stop() { stopped.withLock { $0 = true } }
  func makeRoom() {}
  func followSuspension() {}

  func deliver(_ status: HTTPResponse.Status, _ body: String = "", isWhole: Bool = false) {
    var news = TransferNews()
    news.head = HTTPResponse(status: status, headers: ["Location": "/next"])
    if !body.isEmpty { news.add(Data(body.utf8)) }
    if isWhole { news.ending = .success(()) }
    deliver(news)
  }
}

private final class ClosingTransport: Transport {
  private final class Body: BodySource {
    let exchange: ClosingExchange
    init(_ exchange: ClosingExchange) { self.exchange = exchange }
    func next() async throws -> Data? { try await exchange.nextChunk() }
    func cancel() { exchange.abandon() }
  }

  private let all = Locked([ClosingExchange]())

  var capabilities: TransportCapabilities { TransportCapabilities() }
  var exchanges: [ClosingExchange] { all.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let exchange = ClosingExchange(request)
    exchange.start()
    all.withLock { $0.append(exchange) }
    return TransportResponse(head: try await exchange.head(), body: BodyStream(Body(exchange)))
  }

  func exchange(_ number: Int) async -> ClosingExchange {
    await until { exchanges.count >= number }
    return exchanges[number - 1]
  }
}

@Suite(
  "Slots: an abandoned transfer keeps a slot until its connection is closed", .timeLimit(.minutes(5)))
struct SlotCloseTests {
  /// The bytes before silence.
  static let answers = ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"]

  @Test(
    "A server never has more concurrent requests than slots, for any moment of cancellation",
    arguments: answers)
  func schedules(answer: String) async throws {
    let server = CountingServer(answer: answer)
    var configuration = AgentConfiguration()
    configuration.maxRequestsPerOrigin = 2
    for round in 0..<80 {
      let agent = RequestAgent(
        baseURL: "http://127.0.0.1:\(server.port)", transport: DefaultTransport.make(),
        configuration: configuration)
      let (before, all) = (server.paths.count, 6)
      var handles = (0..<all).map {
        agent.start(OneOffRequest<String>.get("\($0)", as: String.self)) as RequestHandle?
      }
      for number in 0..<all {
        await until { server.paths.count - before >= min(number + 2, all) }
        for _ in 0..<round % 8 { await Task.yield() }
        let started = server.paths.dropFirst(before).compactMap { Int($0) }.filter { handles[$0] != nil }
        let chosen = try #require(started.randomElement())
        let handle = try #require(handles[chosen])
        handles[chosen] = nil
        handle.cancel()
        _ = try? await handle.value
      }
      // Each agent has separate slots.
      await until { server.running == 0 }
    }
    #expect(server.most == 2)
  }

  private let transport = ClosingTransport()

  private func agent() -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    configuration.maxRequestsPerOrigin = 1
    configuration.destinations.plainHTTP = .allowed
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  /// The waiting dispatch starts when the connection of the ended dispatch is closed, and not earlier.
  private func expectWait<R: Request>(
    _ request: R, _ ending: (ClosingExchange, RequestHandle<String>) async -> Void
  ) async throws where R.Response == String {
    let agent = agent()
    let first = agent.start(request)
    let exchange = await transport.exchange(1)
    let second = await agent.startWaiting(OneOffRequest<String>.get("second", as: String.self))
    await ending(exchange, first)
    // The caller gets the outcome at once.
    _ = try? await first.value
    #expect(exchange.isStopped && transport.exchanges.count == 1)
    // The task of a shared transfer may release its own slot later.
    await until { agent.runningCount == 1 }
    #expect(agent.waitingCount == 1)
    exchange.didStop()
    await transport.exchange(2).deliver(200, "ok", isWhole: true)
    #expect(try await second.value == "ok")
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
    // A second call has no effect.
    exchange.didStop()
    #expect(agent.runningCount == 0)
  }

  @Test("A transfer cancelled before the head keeps its slot")
  func beforeHead() async throws {
    try await expectWait(OneOffRequest<String>.get("first", as: String.self)) { _, handle in handle.cancel() }
  }

  @Test("A transfer cancelled inside the body keeps its slot")
  func insideBody() async throws {
    try await expectWait(OneOffRequest<String>.get("first", as: String.self)) { exchange, handle in
      exchange.deliver(200, "half")
      handle.cancel()
    }
  }

  @Test("A transfer refused by its head keeps its slot")
  func refused() async throws {
    try await expectWait(OneOffRequest<String>.get("first", as: String.self)) { exchange, _ in
      exchange.deliver(206)
    }
  }

  @Test("A shared transfer left by all dispatches keeps its slot")
  func shared() async throws {
    try await expectWait(
      OneOffRequest<String>.get("first", as: String.self).with(\.coalescing, .whileInFlight)
    ) { _, handle in handle.cancel() }
  }

  @Test("A redirect with a long body is followed when its connection is closed")
  func redirect() async throws {
    let agent = agent()
    let handle = agent.start(OneOffRequest<String>.get("first", as: String.self))
    let exchange = await transport.exchange(1)
    exchange.deliver(302, String(repeating: "x", count: RequestError.bodyLimit + 1))
    await until { agent.waitingCount == 1 }
    #expect(exchange.isStopped && transport.exchanges.count == 1)
    exchange.didStop()
    await transport.exchange(2).deliver(200, "ok", isWhole: true)
    #expect(try await handle.value == "ok")
    #expect(
      agent.runningCount == 0 && transport.exchanges.map(\.request.request.url.path) == ["/first", "/next"])
  }

  @Test("A transfer that has ended, and a returned slot, keep nothing")
  func ended() async throws {
    let agent = agent()
    let handle = agent.start(OneOffRequest<String>.get("first", as: String.self))
    let exchange = await transport.exchange(1)
    exchange.deliver(200, "ok", isWhole: true)
    #expect(try await handle.value == "ok")
    exchange.abandon()
    #expect(!exchange.isStopped && agent.runningCount == 0)
  }
}

#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Curl: streams of an agent", .timeLimit(.minutes(5)))
struct CurlStreamTests {
  private static let block = Data(repeating: 0x61, count: 65_536)
  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let piece = Data("10000\r\n".utf8) + block + Data("\r\n".utf8)

  private let recorder = Recorder()

  private func agent(_ base: URL) -> RequestAgent {
    RequestAgent(
      baseURL: base, transport: CurlTransport(), hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)])
  }

  private func endless() throws -> MockServer {
    let server = try MockServer()
    server.route(.get, "/endless", answers: .raw(.send(Self.head), .send(Self.piece, times: .max)))
    return server
  }

  @Test("Timings and counts of the transfer are in the report at the end")
  func metrics() async throws {
    let server = try MockServer()
    server.route(.get, "/moved", answers: .status(302).header("Location", "/x"))
    server.route(.get, "/x", answers: .chunks([Self.block, Self.block]).trailers(["Checksum": "5"]))
    let agent = agent(server.baseURL)
    let response = try await agent.stream(StreamProbe(recorder: recorder, path: "moved"))
    #expect(try await response.body.all().count == 131_072)
    let attempt = try #require(response.report?.attempts.first)
    #expect(attempt.bodyLength == 131_072)
    #expect(attempt.response?.trailers == ["Checksum": "5"])
    let metrics = try #require(attempt.metrics)
    #expect(
      metrics.bytesReceived > 131_072 && metrics.total >= metrics.firstByte && metrics.isConnectionReused)
    #expect(server.connectionCount == 1)
  }

  @Test("A break ends the transfer: the server loses the client")
  func breaking() async throws {
    let server = try endless()
    let agent = agent(server.baseURL)
    let response = try await agent.stream(StreamProbe(recorder: recorder, path: "endless"))
    for try await chunk in response.body {
      #expect(!chunk.isEmpty)
      break
    }
    await server.waitForClosedConnections()
    try await recorder.wait(for: "accessory.didStop cancelled")
    #expect(recorder.events == ["accessory.willStart"] + Self.opened + StreamProbe.ended("cancelled"))
    #expect(server.requestCount == 1)
  }

  @Test("A response dropped unread ends the transfer, and so does cancelAll", arguments: [true, false])
  func dropped(_ isDropped: Bool) async throws {
    let server = try endless()
    let agent = agent(server.baseURL)
    if isDropped {
      _ = try await agent.stream(StreamProbe(recorder: recorder, path: "endless"))
      await server.waitForClosedConnections()
    } else {
      let response = try await agent.stream(StreamProbe(recorder: recorder, path: "endless"))
      agent.cancelAll()
      await server.waitForClosedConnections()
      #expect(response.head.status == 200)
    }
    try await recorder.wait(for: "accessory.didStop cancelled")
    #expect(recorder.events == ["accessory.willStart"] + Self.opened + StreamProbe.ended("cancelled"))
  }

  @Test("A task cancelled during the wait for the network ends the transfer")
  func cancelled() async throws {
    let server = try MockServer()
    server.route(.get, "/x", answers: .text("hello").cut(.body, after: 3, by: .stall))
    let agent = agent(server.baseURL)
    let read = OneTime<Bool>()
    let task = Task { [recorder] in
      let response = try await agent.stream(StreamProbe(recorder: recorder, path: "x"))
      for try await _ in response.body { read.set(true) }
    }
    _ = try await read.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.waitForClosedConnections()
    #expect(recorder.events == ["accessory.willStart"] + Self.opened + StreamProbe.ended("cancelled"))
    #expect(agent.liveCount == 0)
  }

  @Test("A connection cut inside the body is the transport's error, with the read bytes")
  func cut() async throws {
    let server = try MockServer()
    server.route(.get, "/x", answers: .text("hello").cut(.body, after: 3))
    let agent = agent(server.baseURL)
    let response = try await agent.stream(StreamProbe(recorder: recorder, path: "x", retryPolicy: .upTo(3)))
    let error = try await #require(throws: RequestError.self) { try await response.body.all() }
    #expect(error.kind == .connectionLost && error.stage == .transport && error.attempts == 1)
    #expect(error.reason == "the connection was closed after 3 of the 5 bytes of the body (code 18)")
    #expect("\(error)".contains("\nResponse: 200 OK, text/plain; charset=utf-8, 3 bytes read\n"))
    #expect(server.requestCount == 1)
    #expect(
      recorder.events
        == ["accessory.willStart"] + Self.opened + StreamProbe.ended("failure connectionLost"))
  }

  @Test("A pausing reader makes the server wait, and no timeout runs meanwhile")
  func backPressure() async throws {
    let total = 128 << 20
    let taken = Locked(0)
    let server = RawServer { connection in
      guard connection.readRequest()?.line == "GET /big HTTP/1.1" else { return connection.waitForClose() }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      for _ in 0..<(total / Self.block.count) where connection.send(Self.block) {
        taken.withLock { $0 += Self.block.count }
      }
    }
    let agent = agent(server.url())
    let response = try await agent.stream(.get("big").with(\.timeout, .milliseconds(400)))
    var chunks = response.body.makeAsyncIterator()
    var read = try #require(await chunks.next()).count
    // A second transfer times out later, which proves that the stream would have timed out.
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("silent").with(\.timeout, .milliseconds(1200)))
    }
    #expect(error.kind == .timedOut)
    // The capacity of the sockets and of the transport's buffer, far below the total.
    #expect(taken.withLock { $0 } < 32 << 20)
    while let chunk = try await chunks.next() { read += chunk.count }
    #expect(read == total)
    #expect(response.report?.attempts.map(\.bodyLength) == [total])
  }

  private enum Way: CaseIterable { case end, leave, drop, cancel, cut }

  @Test("200 concurrent streams end once each")
  func many() async throws {
    let server = try MockServer()
    server.route(.get, "/x", answers: .chunks(Array(repeating: Self.block, count: 4)))
    server.route(.get, "/cut", answers: .text("hello").cut(.body, after: 3))
    server.route(.get, "/endless", answers: .raw(.send(Self.head), .send(Self.piece, times: .max)))
    let agent = agent(server.baseURL)
    agent.maxRequestsPerOrigin = 0
    let counts = try await withThrowingTaskGroup(of: (Way, Int).self) { group in
      for index in 0..<200 {
        let way = Way.allCases[index % Way.allCases.count]
        group.addTask { (way, try await Self.leave(agent, way)) }
      }
      return try await group.reduce(into: [Way: Int]()) { $0[$1.0, default: 0] += $1.1 }
    }
    #expect(counts == [.end: 40 * 262_144, .leave: 40, .drop: 40, .cancel: 40, .cut: 40])
    while agent.liveCount > 0 { await Task.yield() }
    let events = recorder.events
    func count(_ event: String) -> Int { events.count { $0 == event } }
    #expect(count("accessory.willStart") == 200 && count("accessory.willStop") == 200)
    #expect(count("accessory.attemptWillStart 1") == 200 && count("accessory.attemptDidStop 1") == 200)
    for event in ["agent.preprocess", "agent.completed", "accessory.didStop"] {
      #expect(count("\(event) success") == 40)
      #expect(count("\(event) cancelled") == 120)
      #expect(count("\(event) failure connectionLost") == 40)
    }
  }

  /// 1 for a stream that was left correctly.
  private static func leave(_ agent: RequestAgent, _ way: Way) async throws -> Int {
    switch way {
    case .end: return try await agent.stream(.get("x")).body.all().count
    case .drop: return try await agent.stream(.get("endless")).head.status == 200 ? 1 : 0
    case .leave:
      for try await _ in try await agent.stream(.get("endless")).body { return 1 }
      return 0
    case .cut:
      let error = await #expect(throws: RequestError.self) {
        for try await _ in try await agent.stream(.get("cut")).body {}
      }
      return error?.kind == .connectionLost ? 1 : 0
    case .cancel:
      let task = Task {
        for try await _ in try await agent.stream(.get("endless")).body {
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      return 1
    }
  }

  private static let opened = StreamProbe.opened().filter { $0 != "transport" }
}
#endif

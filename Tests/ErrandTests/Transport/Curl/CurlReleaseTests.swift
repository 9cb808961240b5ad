#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: releases with requests in flight", .timeLimit(.minutes(5)))
struct CurlReleaseTests {
  private struct Fetch: Request {
    typealias Response = String
    let path = "x"
  }

  /// One request per signal.
  private static func held(by gate: DispatchSemaphore) -> RawServer {
    RawServer { connection in
      while connection.readRequest() != nil {
        connection.note("read")
        gate.wait()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  private static var silent: RawServer {
    RawServer { connection in
      _ = connection.readRequest()
      connection.note("read")
      connection.waitForClose()
    }
  }

  @Test("An agent released with 100 requests in flight: every caller gets its value, and the thread ends")
  func dropped() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = Self.held(by: gate)
    let (ended, handles) = start(on: server)
    await waitForAll(server)
    for _ in handles { gate.signal() }
    for handle in handles { #expect(try await handle.value == "ok") }
    for await _ in ended {}
  }

  @Test("An agent released with 100 requests in flight that are then cancelled: every caller gets an outcome")
  func cancelled() async throws {
    let server = Self.silent
    let (ended, handles) = start(on: server)
    await waitForAll(server)
    for handle in handles { handle.cancel() }
    for handle in handles {
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.kind == .cancelled)
    }
    for await _ in ended {}
  }

  @Test("A loop that ends during 100 requests: every caller gets an error, and the thread ends")
  func closed() async throws {
    let server = Self.silent
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    let loop = CurlLoop { continuation.finish() }
    let agent = RequestAgent(baseURL: server.url(), transport: CurlTransport(loop: loop))
    agent.maxRequestsPerOrigin = 0
    let handles = (0..<100).map { _ in agent.start(Fetch()) }
    await waitForAll(server)
    loop.close()
    for handle in handles {
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.reason == "the transport was released before the transfer ended")
    }
    for await _ in ended {}
    #expect(agent.liveCount == 0)
  }

  /// The caller gets no reference to the agent.
  ///
  /// The stream ends with the transport's thread.
  private func start(on server: RawServer) -> (ended: AsyncStream<Void>, [RequestHandle<String>]) {
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    let transport = CurlTransport(loop: CurlLoop { continuation.finish() })
    let agent = RequestAgent(baseURL: server.url(), transport: transport)
    agent.maxRequestsPerOrigin = 0
    return (ended, (0..<100).map { _ in agent.start(Fetch()) })
  }

  private func waitForAll(_ server: RawServer) async {
    var count = 0
    for await note in server.notes where note == "read" {
      count += 1
      if count == 100 { return }
    }
  }
}
#endif

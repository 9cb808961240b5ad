#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: suspension", .timeLimit(.minutes(5)))
struct CurlSuspensionTests {
  let transport = CurlTransport()
  let suspension = SuspensionSignal()

  private func request(_ url: URL, timeout: Duration, body: RequestBody = .none) -> TransportRequest {
    TransportRequest(
      HTTPRequest(url: url, method: body.isEmpty ? .get : .put, body: body), timeout: timeout,
      suspension: suspension)
  }

  @Test("A body is held back while suspended without a timeout, and arrives completely afterwards")
  func body() async throws {
    let (gate, suspension) = (DispatchSemaphore(value: 0), suspension)
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
      suspension.suspend()
      connection.send("abc")
      gate.wait()
      connection.send("def")
    }
    let body = try await transport.send(request(server.url(), timeout: .seconds(1))).body
    // Proves that more time than the timeout has passed.
    await timeout(after: .milliseconds(1_200))
    gate.signal()
    suspension.resume()
    #expect(try await body.all() == Data("abcdef".utf8))
  }

  @Test(
    "A request that waits for its response while suspended has no timeout, and has a timeout again once resumed"
  )
  func head() async throws {
    let suspension = suspension
    let server = RawServer { connection in
      _ = connection.readRequest()
      suspension.suspend()
      connection.note("read")
      connection.waitForClose()
    }
    let (transport, request) = (transport, request(server.url(), timeout: .seconds(1)))
    let ended = Locked(false)
    let sending = Task {
      defer { ended.withLock { $0 = true } }
      _ = try await transport.send(request)
    }
    await server.wait(for: "read")
    await timeout(after: .milliseconds(1_200))
    #expect(!ended.withLock { $0 })
    suspension.resume()
    await #expect(throws: TransportError(.timedOut, "no byte was sent or received for 1 s")) {
      try await sending.value
    }
  }

  @Test("A request that waited for its response while suspended has its whole timeout again")
  func timeoutAnew() async throws {
    let (gate, suspension) = (DispatchSemaphore(value: 0), suspension)
    let server = RawServer { connection in
      _ = connection.readRequest()
      suspension.suspend()
      connection.note("read")
      gate.wait()
      Thread.sleep(forTimeInterval: 0.2)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let (transport, request) = (transport, request(server.url(), timeout: .seconds(5)))
    async let status = transport.send(request).head.status
    await server.wait(for: "read")
    await timeout(after: .milliseconds(5_200))
    suspension.resume()
    gate.signal()
    #expect(try await status == 200)
  }

  @Test("A suspended transfer reads nothing, so the server has to wait")
  func backPressure() async throws {
    let sent = Locked(0)
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(32 << 20)\r\n\r\n")
      for _ in 0..<32 {
        connection.send(Data(count: 1 << 20))
        sent.withLock { $0 += 1 }
      }
    }
    suspension.suspend()
    let response = try await transport.send(request(server.url(), timeout: .seconds(2)))
    await timeout(after: .milliseconds(2_200))
    #expect(sent.withLock { $0 } < 32)
    suspension.resume()
    #expect(try await response.body.all().count == 32 << 20)
  }

  @Test("A suspended upload pauses and continues without loss")
  func upload() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let bytes = patternedBytes(5_000_000)
    suspension.suspend()
    let (transport, request) = (transport, request(server.url(), timeout: .seconds(5), body: .data(bytes)))
    let sending = Task { try await transport.send(request).body.all() }
    await timeout(after: .milliseconds(50))
    #expect(server.requests.isEmpty)
    suspension.resume()
    #expect(try await sending.value == Data("ok".utf8))
    #expect(server.requests.map(\.body) == [bytes])
  }

  @Test("A request cancelled while suspended ends at once")
  func cancelled() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
      connection.waitForClose()
      connection.note("closed")
    }
    let request = request(server.url(), timeout: .seconds(20))
    let response = try await transport.send(request)
    suspension.suspend()
    request.cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await response.body.all() }
    await server.wait(for: "closed")
  }

  /// Waits for the timeout of another transfer on the same loop.
  private func timeout(after time: Duration) async {
    let silent = RawServer { $0.waitForClose() }
    let failure = await transport.failure(silent.url(), timeout: time)
    #expect(failure?.kind == .timedOut)
  }
}

extension RequestBody {
  fileprivate var isEmpty: Bool { if case .none = content { true } else { false } }
}
#endif

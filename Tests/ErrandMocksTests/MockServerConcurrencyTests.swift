import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, concurrency and shutdown")
struct MockServerConcurrencyTests {
  @Test("Delays run concurrently: the response with the shorter delay comes first")
  func delayOrder() async throws {
    let server = try MockServer()
    server.route(.get, "/*") { request in
      let milliseconds = Int(request.path.dropFirst()) ?? 0
      return .text(request.path).delayed(by: .milliseconds(milliseconds))
    }
    let slow = try RawClient(port: server.port)
    slow.write("GET /3600000 HTTP/1.1\r\nHost: h\r\n\r\n")
    await server.waitForRequests(1)
    #expect(try RawClient.get("/50", port: server.port).hasSuffix("/50"))
    #expect(server.maximumConcurrency == 2)
  }

  @Test("200 connections are answered concurrently, each with its own bytes")
  func parallelConnections() async throws {
    let server = try MockServer()
    server.route(.post, "/echo") { .data($0.body).delayed(by: .milliseconds(200)) }
    let clients = try (0..<200).map { _ in try RawClient(port: server.port) }
    for (number, client) in clients.enumerated() {
      let body = "body of \(number)"
      client.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    await server.waitForRequests(200)
    for (number, client) in clients.enumerated() {
      _ = client.head()
      #expect(client.read(count: "body of \(number)".utf8.count) == "body of \(number)")
    }
    #expect(server.connectionCount == 200)
    #expect(server.maximumConcurrency > 1)
    #expect(Set(server.requests.compactMap(\.connection)) == Set(1...200))
    #expect(server.requests.map(\.number) == Array(1...200))
  }

  @Test("A body larger than the socket takes at once arrives whole, both ways")
  func largeBodies() throws {
    let server = try MockServer()
    server.route(.post, "/echo") { .data($0.body) }
    let body = [UInt8](repeating: 0x61, count: 4_000_000)
    let client = try RawClient(port: server.port)
    client.write("POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 4000000\r\n\r\n")
    client.write(body)
    #expect(client.head().first == "HTTP/1.1 200 OK")
    #expect(client.readToEnd().utf8.elementsEqual(body))
  }

  @Test("A stop does not wait for other connections")
  func stopsAtOnce() throws {
    let server = try MockServer()
    let (isHeld, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    server.route(.get, "/hold") { _ in
      isHeld.signal()
      goesOn.wait()
      return .text("held")
    }
    // Whichever request comes first stops the server. The server's thread must not wait for itself, and still
    // sends the response.
    server.route(.get, "/stop") { [unowned server] _ in
      server.stop()
      return .text("stopped")
    }
    server.route(.get, "/open", answers: .text("open"))
    let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
    for client in clients {
      client.write("GET /open HTTP/1.1\r\nHost: h\r\n\r\n")
      _ = client.read(through: "open")
    }
    clients[0].write("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n")
    isHeld.wait()
    for client in clients.dropFirst() { client.write("GET /stop HTTP/1.1\r\nHost: h\r\n\r\n") }
    goesOn.signal()
    #expect(clients[1].readToEnd().hasSuffix("stopped"))
    server.stop()
    #expect(server.requests.map(\.path).filter { $0 == "/stop" }.count == 1)
  }

  @Test("A client that half-closes before a delayed response counts as disconnected")
  func halfClosed() async throws {
    let server = try MockServer()
    server.route(.get, "/now", answers: .text("now"))
    server.route(.get, "/slow", answers: .text("late").delayed(by: .seconds(600)))
    for (path, answer) in [("/now", "now"), ("/slow", "")] {
      let client = try RawClient(port: server.port)
      client.write("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
      await server.waitForRequests(path == "/now" ? 1 : 2)
      if path == "/now" { _ = client.head() }
      client.endOutput()
      #expect(client.readToEnd() == answer)
    }
  }

  @Test("A client that disconnects during a response frees its slot")
  func clientLeaves() async throws {
    let server = try MockServer()
    server.route(.get, "/slow", answers: .text("late").delayed(by: .seconds(600)))
    server.route(.get, "/fast", answers: .text("fast"))
    for round in 1...3 {
      do {
        let client = try RawClient(port: server.port)
        client.write("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        await server.waitForRequests(2 * round - 1)
      }
      // A child process of another test may keep the socket open a moment longer.
      await server.waitForClosedConnections(2 * round - 1)
      #expect(try RawClient.get("/fast", port: server.port).hasSuffix("fast"))
    }
    #expect(server.maximumConcurrency == 1)
  }

  @Test("Stopping closes every connection, also during a response, and keeps the recorded requests")
  func stop() async throws {
    let server = try MockServer()
    server.route(.get, "/slow", answers: .text("late").delayed(by: .seconds(600)))
    let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
    for client in clients { client.write("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n") }
    await server.waitForRequests(20)
    server.stop()
    server.stop()
    #expect(clients.map { $0.readToEnd() } == Array(repeating: "", count: 20))
    // The connection may succeed, because the server of another test may use the port by now.
    _ = try? RawClient.get("/slow", port: server.port)
    #expect(server.requestCount == 20)
  }

  @Test("A released server stops, and a route can stop its own server")
  func release() throws {
    var released: MockServer? = try MockServer()
    let client = try RawClient(port: #require(released?.port))
    client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(client.head().first == "HTTP/1.1 404 Not Found")
    released = nil
    #expect(client.readToEnd() == "no route answers GET /; there are no routes")

    let server = try MockServer()
    server.route(.get, "/stop") { _ in
      server.stop()
      return .text("gone")
    }
    #expect(try RawClient.get("/stop", port: server.port).hasSuffix("gone"))
    server.stop()
  }

  @Test("Waiting for requests ends when the server stops and when the waiting task is cancelled")
  func endOfWaiting() async throws {
    let server = try MockServer()
    let cancelled = Task { await server.waitForRequests(5) }
    cancelled.cancel()
    await cancelled.value
    async let stopped: Void = server.waitForRequests(5)
    server.stop()
    await stopped
  }
}

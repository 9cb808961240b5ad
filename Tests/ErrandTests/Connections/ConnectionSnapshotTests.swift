import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The list of connections")
struct ConnectionSnapshotTests {
  typealias Connection = ConnectionSettings.Pool.Connection

  @Test("A list is printed with counts, connections and waiting requests")
  func text() {
    var snapshot = ConnectionSettings.Pool.Snapshot(
      connections: [
        Connection(
          origin: "https://b.example", remoteAddress: "192.0.2.7:443", httpVersion: "HTTP/2",
          age: .milliseconds(12_500), requests: 3),
        Connection(origin: "https://b.example", remoteAddress: "192.0.2.7:443", age: .milliseconds(20)),
      ], waiting: ["https://b.example": 2])
    snapshot.add(
      .init(
        connections: [
          Connection(
            origin: "http://a.example", proxy: "http://proxy.example:3128", remoteAddress: "192.0.2.8:3128",
            httpVersion: "HTTP/1.1", age: .seconds(2), idle: .seconds(1))
        ], waiting: ["http://a.example": 1, "https://b.example": 1]))
    #expect(
      snapshot.description == """
        3 connections, 1 idle, 4 requests waiting
        http://a.example at 192.0.2.8:3128, via http://proxy.example:3128, HTTP/1.1, 2.000 s old, idle for 1.000 s
        https://b.example at 192.0.2.7:443, HTTP/2, 12.500 s old, 3 requests
        https://b.example at 192.0.2.7:443, 0.020 s old, opening
        http://a.example: 1 waiting
        https://b.example: 3 waiting
        """)
  }

  @Test("A transport without a list throws an error with both names")
  func unsupported() async throws {
    let transports: [(any Transport, String)] = [
      (FunctionTransport(), "FunctionTransport"), (MockTransport([Stub]()), "MockTransport"),
      (MockTransport(passing: PassThrough(to: FunctionTransport())), "FunctionTransport"),
    ]
    for (transport, name) in transports {
      let agent = RequestAgent(transport: transport)
      await #expect(
        throws: TransportError(.unsupported, "\(name) cannot list connections: only CurlTransport can")
      ) { try await agent.transport.connections }
    }
  }
}

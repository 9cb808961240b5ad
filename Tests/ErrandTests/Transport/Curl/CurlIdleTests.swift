#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: connections that nobody uses any more", .timeLimit(.minutes(2)))
struct CurlIdleTests {
  /// A socket of this process, by its descriptor and the number that the system gives each anew.
  private struct Socket: Hashable {
    let descriptor: Int32
    let number: ino_t

    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
      (self.descriptor, number) = (descriptor, status.st_ino)
    }

    var isOpen: Bool { Socket(descriptor) == self }

    var peerPort: UInt16? {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      return code == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
  }

  private static func sockets(to server: RawServer) -> [Socket] {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return open.compactMap { Int32($0) }.compactMap(Socket.init).filter { $0.peerPort == server.port }
  }

  private static func waitUntilClosed(_ sockets: [Socket]) async throws {
    while sockets.contains(where: \.isOpen) { try await Task.sleep(for: .milliseconds(20)) }
  }

  private func burst(_ transport: CurlTransport, _ server: RawServer, count: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          let text = try await transport.whole(server.url()).text
          #expect(text == "ok")
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("those that the server closed are let go of, without another request", arguments: [false, true])
  func closed(isSecure: Bool) async throws {
    guard !isSecure || OpenSSL.system != nil else { return }
    let (areAllThere, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let arrived = Locked(0)
    let script: RawServer.Script = { connection in
      guard connection.readRequest() != nil else { return }
      // Nobody is answered before all have come, so that each has a connection of its own.
      let count = arrived.withLock { count in
        count += 1
        return count
      }
      if count == 30 { for _ in 1..<count { areAllThere.signal() } } else { areAllThere.wait() }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      isOver.wait()
    }
    let server = try isSecure ? .secure(script) : RawServer(script)
    let transport = CurlTransport(
      certificateAuthorities: TLSIdentity.certificate, eventLoops: 1,
      idleConnectionLifetime: .seconds(3600))
    try await burst(transport, server, count: 30)
    let sockets = Self.sockets(to: server)
    #expect(sockets.count == 30)
    for _ in sockets { isOver.signal() }
    try await Self.waitUntilClosed(sockets)
    withExtendedLifetime(transport) {}
  }

  @Test("those whose lifetime has passed are closed, without another request")
  func idle() async throws {
    let server = RawServer { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      connection.note("gone")
    }
    let transport = CurlTransport(eventLoops: 1, idleConnectionLifetime: .seconds(1))
    try await burst(transport, server, count: 10)
    var gone = 0
    for await _ in server.notes {
      gone += 1
      if gone == server.connectionCount { break }
    }
    try await burst(transport, server, count: 1)
  }
}
#endif

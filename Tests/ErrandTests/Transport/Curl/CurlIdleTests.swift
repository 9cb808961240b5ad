#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: idle connections", .timeLimit(.minutes(2)))
struct CurlIdleTests {
  /// The inode number identifies the socket, because descriptors are reused.
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

  @Test("connections closed by the server are released without another request", arguments: [false, true])
  func closed(isSecure: Bool) async throws {
    guard !isSecure || OpenSSL.system != nil else { return }
    let (areAllThere, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let arrived = Locked(0)
    let script: RawServer.Script = { connection in
      guard connection.readRequest() != nil else { return }
      // Answers after all requests have arrived, so each request needs its own connection.
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

  @Test("connections past their lifetime are closed without another request, and no others earlier")
  func idle() async throws {
    let server = RawServer { connection in
      var line = ""
      while let request = connection.readRequest() {
        line = request.line
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      connection.note(line)
    }
    let patient = CurlTransport(eventLoops: 1)
    #expect(try await patient.whole(server.url("/patient")).text == "ok")
    let transport = CurlTransport(eventLoops: 1, idleConnectionLifetime: .seconds(1))
    try await burst(transport, server, count: 10)
    // All connections except the first, which belongs to another transport.
    let count = server.connectionCount - 1
    var gone: [String] = []
    for await line in server.notes {
      gone.append(line)
      if gone.count == count { break }
    }
    #expect(Set(gone) == ["GET / HTTP/1.1"])
    try await burst(transport, server, count: 1)
    #expect(try await patient.whole(server.url("/patient")).text == "ok")
  }

  static let wholeSeconds: [(Duration, Int64)] = [
    (.zero, 0), (.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1001), 2), (.seconds(90), 90),
  ]

  @Test(
    "A lifetime is counted in whole seconds from the first idle connection, and may last a little longer",
    arguments: wholeSeconds)
  func planned(_ lifetime: Duration, seconds: Int64) throws {
    #expect(CurlSweep.seconds(lifetime) == Int(seconds))
    var sweep = CurlSweep(lifetime)
    #expect(sweep.deadline == nil && !sweep.isDue(at: .max))
    sweep.didBecomeIdle(at: 7)
    sweep.didBecomeIdle(at: 8)
    let due = 7 + seconds * 1_000_000_000 + 1_050_000_000
    #expect(sweep.deadline == due && !sweep.isDue(at: due - 1) && sweep.isDue(at: due))
    sweep.didBreak(at: due)
    #expect(sweep.deadline == due)
    sweep.didBreak(at: 9)
    #expect(sweep.deadline == min(due, 9 + 1_050_000_000))
    sweep.plan(CurlSockets(poll: try #require(SocketPoll())), at: due)
    #expect(sweep.deadline == nil)
  }
}
#endif

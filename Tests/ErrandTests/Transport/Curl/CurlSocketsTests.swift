#if os(Linux)
import CCurl
import Foundation
import Testing

@testable import Errand

@Suite("The sockets of a loop")
struct CurlSocketsTests {
  let poll: SocketPoll
  var sockets: CurlSockets

  init() throws {
    poll = try #require(SocketPoll())
    sockets = CurlSockets(poll: poll)
  }

  mutating func open() -> Int32 {
    var address = ccurl_sockaddr()
    (address.family, address.socktype) = (AF_INET, Int32(SOCK_STREAM.rawValue))
    return sockets.openSocket(to: &address)
  }

  /// To 127.0.0.x; returns the socket and the local port.
  mutating func open(toHost host: UInt32) -> (socket: Int32, port: Int32) {
    var address = ccurl_sockaddr()
    var peer = sockaddr_in()
    peer.sin_family = sa_family_t(AF_INET)
    peer.sin_addr.s_addr = (0x7F00_0000 + host).bigEndian
    (address.family, address.socktype) = (AF_INET, Int32(SOCK_STREAM.rawValue))
    address.addrlen = UInt32(MemoryLayout<sockaddr_in>.size)
    if let offset = MemoryLayout<ccurl_sockaddr>.offset(of: \.addr) {
      withUnsafeMutableBytes(of: &address) {
        $0.storeBytes(of: peer, toByteOffset: offset, as: sockaddr_in.self)
      }
    }
    let socket = sockets.openSocket(to: &address)
    peer.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &peer) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(code == 0)
    return (socket, SocketAddress(of: socket)?.port ?? 0)
  }

  @Test("An abandoned connection retires older connections to the same peer, and no others")
  mutating func retired() {
    let first = open(toHost: 2)
    let second = open(toHost: 2)
    let other = open(toHost: 3)
    func ends(_ port: Int32, _ host: Int) -> CurlSockets.Ends {
      CurlSockets.Ends(peer: "127.0.0.\(host)", peerPort: 0, localPort: port)
    }
    sockets.retire(ends(other.port, 3))
    // A connection to another peer may have the same local port.
    for strange in [ends(first.port, 3), ends(second.port, 4)] {
      sockets.retire(strange)
      #expect(!sockets.isStillUsed(strange))
    }
    sockets.retire(ends(first.port, 2))
    #expect(!sockets.checkBroken())
    #expect(sockets.isStillUsed(ends(first.port, 2)) && !sockets.isStillUsed(ends(second.port, 2)))
    sockets.retire(ends(second.port, 2))
    #expect(sockets.checkBroken() && sockets.isStillUsed(ends(second.port, 2)))
    let canSend = [
      sockets.canSend(from: first.port, hasUnread: false) { ends(first.port, 2) },
      sockets.canSend(from: second.port, hasUnread: false) { ends(second.port, 2) },
      sockets.canSend(from: other.port, hasUnread: false) { ends(other.port, 3) },
    ]
    #expect(canSend == [false, true, true])
    for socket in [first.socket, second.socket, other.socket] { _ = sockets.closeSocket(socket) }
  }

  func ready() -> [Int32] {
    let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 8)
    defer { events.deallocate() }
    return events[..<poll.wait(milliseconds: 0, into: events)].map(\.data.fd)
  }

  @Test("A socket that libcurl closed unnoticed is not idle, because its descriptor is free for every thread")
  mutating func closedUnseen() {
    let socket = open()
    sockets.watch(socket, for: .output)
    close(socket)
    sockets.markIdle(socket, localPort: 0, isShared: false, at: 0)
    #expect(!sockets.isIdle(socket))
  }

  @Test("The end of a shared connection during a paused transfer is not reported again")
  mutating func overWhilePaused() {
    let socket = open()
    sockets.watch(socket, for: .output)
    sockets.markIdle(socket, localPort: 0, isShared: true, at: 0)
    // The poll reports the socket, because the socket was never connected.
    #expect(sockets.isIdle(socket) && ready() == [socket])
    let wasBroken = sockets.noticed([.closed, .broken], on: socket) { true }
    #expect(!wasBroken && ready() == [])
    _ = sockets.closeSocket(socket)
  }

  @Test(
    "A socket with a reused descriptor is watched for the same events, because libcurl reports no change"
  )
  mutating func sameNumber() throws {
    // A thread of another test may take the descriptor in the meantime.
    for _ in 0..<1000 {
      let first = open()
      sockets.watch(first, for: .output)
      close(first)
      let second = open()
      let told = ready()
      _ = sockets.closeSocket(second)
      if second == first { return #expect(told == [second]) }
    }
    Issue.record("no socket got the number of the one before")
  }
}
#endif

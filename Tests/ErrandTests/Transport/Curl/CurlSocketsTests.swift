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

  /// The sockets of which the poll has something to tell.
  func ready() -> [Int32] {
    let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 8)
    defer { events.deallocate() }
    return events[..<poll.wait(milliseconds: 0, into: events)].map(\.data.fd)
  }

  @Test("One that libcurl closed unseen does not rest: its number is free for every thread")
  mutating func closedUnseen() {
    let socket = open()
    sockets.watch(socket, for: .output)
    close(socket)
    sockets.rest(socket, localPort: 0, isShared: false, at: 0)
    #expect(!sockets.isResting(socket))
  }

  @Test("One with the number of one closed unseen is watched for the same: libcurl sees no change to tell")
  mutating func sameNumber() throws {
    // Another test's thread may take the number meanwhile.
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

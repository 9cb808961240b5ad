#if os(Linux)
import CCurl
import Foundation

/// The sockets of a loop, by their descriptors: what each is watched for, and which of them rest between transfers.
///
/// A resting connection stays watched, so that the next transfer over it costs no system call, and so that one on which
/// something comes that nobody asked for is broken before a request is sent over it.
struct CurlSockets {
  /// The ends of a connection, as libcurl names it.
  struct Ends: Equatable {
    var peer: String
    var peerPort: Int32
    var localPort: Int32
  }

  private struct Socket {
    /// Opened here, so that its end is known; libcurl has others, for name lookup.
    var address: SocketAddress?
    var isSecure = false
    var watched: SocketPoll.Events = []
    /// libcurl keeps it for later.
    var isResting = false
  }

  private let poll: SocketPoll
  private var sockets: [Socket?] = []
  /// Connections that were broken here and are not closed yet.
  private var broken: [Int32: Ends] = [:]

  init(poll: SocketPoll) { self.poll = poll }

  private subscript(socket: Int32) -> Socket? {
    get { sockets.indices.contains(Int(socket)) ? sockets[Int(socket)] : nil }
    set {
      if sockets.count <= Int(socket) {
        sockets.append(contentsOf: repeatElement(nil, count: Int(socket) + 1 - sockets.count))
      }
      sockets[Int(socket)] = newValue
    }
  }

  // MARK: Opening and closing

  /// Opens a socket for libcurl; a negative number when there is none.
  mutating func openSocket(to address: UnsafePointer<ccurl_sockaddr>, isSecure: Bool) -> Int32 {
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
    guard descriptor >= 0 else { return descriptor }
    // libcurl closes a socket that never connected without a word. Of the next one with its number, as when an address
    // after a refusing one is tried, it says nothing either, because what it waits for has not changed.
    let watched = self[descriptor]?.watched ?? []
    self[descriptor] = Socket(address: SocketAddress(address), isSecure: isSecure)
    setWatched(descriptor, watched)
    return descriptor
  }

  /// Closes a socket for libcurl.
  mutating func closeSocket(_ socket: Int32) -> Int32 {
    if !broken.isEmpty { broken[socket] = nil }
    self[socket] = nil
    return close(socket)
  }

  // MARK: Watching

  /// Watches a socket for what libcurl wants to know.
  mutating func watch(_ socket: Int32, for events: SocketPoll.Events) {
    if self[socket] == nil { self[socket] = Socket() }
    self[socket]?.isResting = false
    setWatched(socket, events.contains(.input) ? events.union(.closed) : events)
  }

  /// Stops watching a socket whose transfer rests, or that libcurl opened itself.
  mutating func unwatch(_ socket: Int32) {
    setWatched(socket, [])
    if self[socket]?.address == nil { self[socket] = nil }
  }

  /// Whether the peer has closed a connection of which everything was read.
  static func isClosed(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  /// Notes that libcurl keeps a connection for later; it stays watched.
  mutating func rest(_ socket: Int32) {
    guard self[socket]?.address != nil else { return unwatch(socket) }
    self[socket]?.isResting = true
    setWatched(socket, [.input, .closed])
  }

  /// Forgets a socket that was closed unseen: its number may be that of another thread's by now.
  private mutating func setWatched(_ socket: Int32, _ events: SocketPoll.Events) {
    guard let watched = self[socket]?.watched, watched != events else { return }
    let isKnown = poll.watch(socket, for: events, insteadOf: watched)
    if isKnown { self[socket]?.watched = events } else { self[socket] = nil }
  }

  func isResting(_ socket: Int32) -> Bool { self[socket]?.isResting ?? false }

  // MARK: Breaking

  /// Makes a resting connection useless on which something came while nobody had asked: an end, an error, or bytes
  /// that would be taken for the next answer.
  ///
  /// A sending over it then fails before its first byte, and libcurl makes a new connection. With TLS the bytes may be
  /// harmless, as tickets are, and nobody but the server can have sent them; those connections are broken at their end.
  mutating func noticed(_ events: SocketPoll.Events, onResting socket: Int32, isShared: Bool) {
    guard let entry = self[socket] else { return }
    if !entry.isSecure || !isShared && !events.isDisjoint(with: [.closed, .broken]) {
      breakConnection(socket, entry)
    }
    setWatched(socket, [])
  }

  /// Makes the idle connections useless, and tells their peers: all where no transfer runs, else those that rest, and with
  /// TLS only where no transfer that is paused may share them.
  ///
  /// A connection whose last transfer was paused does not rest, as libcurl had told before that it waits for nothing.
  mutating func breakIdle(anyRuns: Bool, anyIsPaused: Bool) {
    for socket in sockets.indices {
      guard let entry = sockets[socket], !anyRuns || entry.isResting && (!entry.isSecure || !anyIsPaused)
      else { continue }
      breakConnection(Int32(socket), entry)
      setWatched(Int32(socket), [])
    }
  }

  private mutating func breakConnection(_ socket: Int32, _ entry: Socket) {
    guard let peer = entry.address, let local = SocketAddress(of: socket) else { return }
    broken[socket] = Ends(peer: peer.text, peerPort: peer.port, localPort: local.port)
    // It fails on a connection that is broken already, which is as good.
    _ = shutdown(socket, Int32(SHUT_RDWR))
  }

  /// Whether the connection was broken here, so that nothing can be sent over it.
  func isBroken(_ ends: @autoclosure () -> Ends) -> Bool {
    if broken.isEmpty { return false }
    let ends = ends()
    return broken.values.contains { $0 == ends }
  }
}
#endif

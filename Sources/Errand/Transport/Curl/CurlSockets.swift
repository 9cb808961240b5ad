#if os(Linux)
import CCurl
import Foundation

/// The sockets of a loop, by descriptor.
///
/// An idle HTTP/1.1 connection with unsolicited input is broken, so that no request uses the connection. To
/// break a connection means to shut down its socket.
struct CurlSockets {
  struct Ends: Hashable {
    var peer: String
    var peerPort: Int32
    var localPort: Int32
  }

  /// A descriptor with a serial number, because the system may reuse the descriptor.
  struct Place {
    fileprivate let number: Int32
    fileprivate let serial: Int
  }

  private struct Socket {
    /// The address of the peer; `nil` if unknown, as for a socket of libcurl's name lookup.
    var address: SocketAddress?
    var serial = 0
    /// The local port; 0 until the connection has been idle once.
    var localPort: Int32 = 0
    var watched: SocketPoll.Events = []
    var isIdle = false
    /// The start of the idle time, in nanoseconds of the loop's clock.
    var idleSince: Int64 = 0
    /// True if the connection may use HTTP/2; set when the connection becomes idle.
    var isShared = false
    /// True if the connection must be broken once idle.
    var isRetired = false

    mutating func markIdle(localPort: Int32, isShared: Bool, at now: Int64) {
      (isIdle, idleSince) = (true, now)
      (self.localPort, self.isShared) = (localPort, isShared)
    }
  }

  private let poll: SocketPoll
  private var sockets: [Socket?] = []
  /// The sockets that libcurl opened for transfers and has not closed.
  private(set) var openings: [Int32: CurlOpening] = [:]
  private var opened = 0
  /// Connections that the loop has shut down, but libcurl has not closed yet.
  private var broken: [Int32: Ends] = [:]
  /// The local ports of connections that were used, or became idle, since the last poll.
  ///
  /// The poll could not show unsolicited input on these connections, so ``canSend(from:hasUnread:_:)`` looks
  /// at the socket.
  private var unseen: [Int32] = []

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

  /// Opens a socket; returns the descriptor, or a negative number on failure.
  mutating func openSocket(
    to address: UnsafePointer<ccurl_sockaddr>, for opening: CurlOpening? = nil
  ) -> Int32 {
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
    guard descriptor >= 0 else { return descriptor }
    // libcurl may not report the close of a socket, and reports only changes of the watched events. So a new
    // socket with the same descriptor starts with the old events.
    let watched = self[descriptor]?.watched ?? []
    opened += 1
    self[descriptor] = Socket(address: SocketAddress(address), serial: opened)
    openings[descriptor] = opening
    setWatched(descriptor, for: watched)
    return descriptor
  }

  mutating func closeSocket(_ socket: Int32) -> Int32 {
    if !broken.isEmpty { broken[socket] = nil }
    self[socket] = nil
    openings[socket] = nil
    return close(socket)
  }

  // MARK: Watching

  mutating func watch(_ socket: Int32, for events: SocketPoll.Events) {
    if !isKnown(socket) { self[socket] = Socket() }
    sockets[Int(socket)]?.isIdle = false
    setWatched(socket, for: events.contains(.input) ? events.union(.closed) : events)
  }

  @discardableResult
  mutating func unwatch(_ socket: Int32) -> Place? {
    setWatched(socket, for: [])
    guard let entry = self[socket], entry.address != nil else {
      self[socket] = nil
      return nil
    }
    return Place(number: socket, serial: entry.serial)
  }

  /// Stops watching the idle socket of a reused connection; returns `nil` if no such socket is known.
  mutating func takeIdle(from localPort: Int32, to peer: String) -> Place? {
    for index in sockets.indices where sockets[index]?.localPort == localPort {
      guard let entry = sockets[index], entry.isIdle, entry.address?.textWithPort == peer else { continue }
      sockets[index]?.isIdle = false
      return unwatch(Int32(index))
    }
    return nil
  }

  /// Returns true after an error, or if the peer has closed the connection and all input was read.
  static func isClosed(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  mutating func markIdle(_ socket: Int32, localPort: Int32, isShared: Bool, at now: Int64) {
    let place = Int(socket)
    guard sockets.indices.contains(place), sockets[place]?.address != nil else {
      unwatch(socket)
      return
    }
    sockets[place]?.markIdle(localPort: localPort, isShared: isShared, at: now)
    setWatched(socket, for: [.input, .closed])
    if !isShared { unseen.append(localPort) }
    if sockets[place]?.isRetired == true { breakConnection(socket) }
  }

  mutating func markIdle(_ place: Place, localPort: Int32, isShared: Bool, at now: Int64) {
    guard let entry = self[place.number], entry.serial == place.serial, entry.watched.isEmpty,
      !entry.isIdle
    else { return }
    markIdle(place.number, localPort: localPort, isShared: isShared, at: now)
  }

  /// Changes the watched events.
  ///
  /// If the system refuses, the socket is forgotten, because another thread may own the descriptor.
  private mutating func setWatched(_ socket: Int32, for events: SocketPoll.Events) {
    guard isKnown(socket), let watched = sockets[Int(socket)]?.watched, watched != events else { return }
    let isOpen = poll.watch(socket, for: events, insteadOf: watched)
    if isOpen { sockets[Int(socket)]?.watched = events } else { self[socket] = nil }
  }

  private func isKnown(_ socket: Int32) -> Bool {
    sockets.indices.contains(Int(socket)) && sockets[Int(socket)] != nil
  }

  func isIdle(_ socket: Int32) -> Bool { isKnown(socket) && sockets[Int(socket)]?.isIdle == true }

  var oldestIdleStart: Int64? {
    sockets.lazy.compactMap { $0 }.filter(\.isIdle).map(\.idleSince).min()
  }

  /// The start of the idle time; `nil` for a socket that is not idle.
  func idleStart(of socket: Int32) -> Int64? {
    guard let entry = self[socket], entry.isIdle else { return nil }
    return entry.idleSince
  }

  /// The endpoints of a connection; `nil` for a connection that was shut down or is closed.
  func ends(of socket: Int32) -> Ends? {
    guard broken[socket] == nil, let address = self[socket]?.address, let local = SocketAddress(of: socket)
    else { return nil }
    return Ends(peer: address.text, peerPort: address.port, localPort: local.port)
  }

  // MARK: Breaking

  mutating func didLook() {
    if !unseen.isEmpty { unseen.removeAll(keepingCapacity: true) }
  }

  /// Handles events on an idle connection.
  ///
  /// Returns true if the connection was broken. On an HTTP/1.1 connection, libcurl could read unsolicited
  /// input as the next response.
  mutating func noticed(
    _ events: SocketPoll.Events, on socket: Int32, anyIsPaused: () -> Bool
  ) -> Bool {
    guard isIdle(socket), let entry = self[socket] else { return false }
    let isOver = !events.isDisjoint(with: [.closed, .broken])
    if !entry.isShared || isOver && !anyIsPaused() {
      breakConnection(socket)
      return true
    }
    setWatched(socket, for: isOver ? [] : .closed)
    return false
  }

  /// Breaks idle connections, or all connections if no transfer runs.
  ///
  /// A paused or throttled transfer may use an HTTP/2 connection that is marked as idle. During such a
  /// transfer, connections that may use HTTP/2 stay.
  mutating func breakIdle(anyRuns: Bool, anyIsPaused: Bool) {
    for socket in sockets.indices {
      guard let entry = sockets[socket], !anyRuns || entry.isIdle && (!entry.isShared || !anyIsPaused)
      else { continue }
      breakConnection(Int32(socket))
    }
  }

  /// Marks a connection, to be broken when the connection becomes idle.
  ///
  /// Breaks earlier marked connections to the same address.
  mutating func retire(_ ends: Ends) {
    let all = sockets.indices.map(Int32.init).filter { self[$0]?.address?.text == ends.peer }
    guard let socket = all.first(where: { isConnection($0, between: ends) }) else { return }
    for other in all where other != socket && self[other]?.isRetired == true { breakConnection(other) }
    self[socket]?.isRetired = true
  }

  func isStillUsed(_ ends: Ends) -> Bool {
    sockets.indices.contains {
      guard let entry = sockets[$0], entry.isRetired, !entry.isIdle else { return false }
      return isConnection(Int32($0), between: ends)
    }
  }

  private func isConnection(_ socket: Int32, between ends: Ends) -> Bool {
    guard let address = self[socket]?.address, address.port == ends.peerPort, address.text == ends.peer else {
      return false
    }
    return SocketAddress(of: socket)?.port == ends.localPort
  }

  /// Shuts a connection down.
  ///
  /// A later request then fails before the first byte, and libcurl can reconnect.
  private mutating func breakConnection(_ socket: Int32) {
    defer { setWatched(socket, for: []) }
    guard let peer = self[socket]?.address, let local = SocketAddress(of: socket) else { return }
    broken[socket] = Ends(peer: peer.text, peerPort: peer.port, localPort: local.port)
    _ = shutdown(socket, Int32(SHUT_RDWR))
    Self.drain(socket)
  }

  /// Drains broken connections; returns true if libcurl has not closed all broken connections yet.
  func checkBroken() -> Bool {
    for socket in broken.keys { Self.drain(socket) }
    return !broken.isEmpty
  }

  /// Discards unread bytes, because libcurl may regard a connection with unread bytes as alive.
  private static func drain(_ socket: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
      // At most 1 MiB, because the peer may continue to send.
      for _ in 0..<64 {
        if recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
      }
    }
  }

  /// Returns false if the request would go over a broken connection.
  ///
  /// `hasUnread` is true if the TLS library holds unread bytes of a reused connection.
  mutating func canSend(from localPort: Int32, hasUnread: Bool, _ ends: () -> Ends) -> Bool {
    if !hasUnread && !unseen.contains(localPort) {
      unseen.append(localPort)
    } else {
      breakReadable(from: localPort, hasUnread: hasUnread)
    }
    return broken.isEmpty || !broken.values.contains(ends())
  }

  private mutating func breakReadable(from localPort: Int32, hasUnread: Bool) {
    for index in sockets.indices where sockets[index]?.localPort == localPort {
      guard let entry = sockets[index], entry.isIdle, !entry.isShared else { continue }
      if hasUnread || !Self.isQuiet(Int32(index)) { breakConnection(Int32(index)) }
    }
  }

  /// Breaks idle HTTP/1.1 connections with unread input.
  mutating func breakReadable() {
    for socket in sockets.indices.lazy.map(Int32.init) {
      guard let entry = self[socket], entry.isIdle, !entry.isShared, !Self.isQuiet(socket) else {
        continue
      }
      breakConnection(socket)
    }
  }

  private static func isQuiet(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
  }
}
#endif

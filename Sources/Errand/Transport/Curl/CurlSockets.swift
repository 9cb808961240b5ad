#if os(Linux)
import CCurl
import Foundation

/// The sockets of a loop, by their descriptors: what each is watched for, and which of them rest between transfers.
///
/// A resting connection stays watched, so that the next transfer over it costs no system call, and so that one on which
/// something comes unasked is broken before a request is sent over it.
struct CurlSockets {
  /// The ends of a connection, as libcurl names it.
  struct Ends: Hashable {
    var peer: String
    var peerPort: Int32
    var localPort: Int32
  }

  /// A socket while it is open: its number may be that of another later.
  struct Place {
    fileprivate let number: Int32
    fileprivate let serial: Int
  }

  private struct Socket {
    /// Opened here, so that its end is known; libcurl has others, for name lookup.
    var address: SocketAddress?
    var serial = 0
    /// As soon as it has rested.
    var localPort: Int32 = 0
    var watched: SocketPoll.Events = []
    /// libcurl keeps it for later.
    var isResting = false
    /// In nanoseconds of the loop's clock.
    var restsSince: Int64 = 0
    /// Speaks HTTP/2: transfers share it, and what comes on it names the transfer it belongs to.
    var isShared = false
    /// Is to be broken when it rests.
    var isRetired = false

    mutating func rest(localPort: Int32, isShared: Bool, at now: Int64) {
      (isResting, restsSince) = (true, now)
      (self.localPort, self.isShared) = (localPort, isShared)
    }
  }

  private let poll: SocketPoll
  private var sockets: [Socket?] = []
  private var opened = 0
  /// Connections that were broken here and are not closed yet.
  private var broken: [Int32: Ends] = [:]
  /// The near ports of those that rest or were used since the poll was asked last, so that it is not known what has come.
  ///
  /// libcurl may send a request and read its answer in one go, and says nothing of the socket then.
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

  /// Opens a socket for libcurl; a negative number when there is none.
  mutating func openSocket(to address: UnsafePointer<ccurl_sockaddr>) -> Int32 {
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
    guard descriptor >= 0 else { return descriptor }
    // libcurl closes a socket that never connected without a word. Of the next one with its number, as when an address
    // after a refusing one is tried, it says nothing either, because what it waits for has not changed.
    let watched = self[descriptor]?.watched ?? []
    opened += 1
    self[descriptor] = Socket(address: SocketAddress(address), serial: opened)
    setWatched(descriptor, for: watched)
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
    if !isKnown(socket) { self[socket] = Socket() }
    sockets[Int(socket)]?.isResting = false
    setWatched(socket, for: events.contains(.input) ? events.union(.closed) : events)
  }

  /// Stops watching a socket whose transfer is paused, or that libcurl opened itself; gives its place, if it has one.
  @discardableResult
  mutating func unwatch(_ socket: Int32) -> Place? {
    setWatched(socket, for: [])
    guard let entry = self[socket], entry.address != nil else {
      self[socket] = nil
      return nil
    }
    return Place(number: socket, serial: entry.serial)
  }

  /// Stops watching a connection that rests, as far as is known, and whose transfer is paused; gives its place, if it is one.
  mutating func takeResting(from localPort: Int32, to peer: String) -> Place? {
    for index in sockets.indices where sockets[index]?.localPort == localPort {
      guard let entry = sockets[index], entry.isResting, entry.address?.textWithPort == peer else { continue }
      sockets[index]?.isResting = false
      return unwatch(Int32(index))
    }
    return nil
  }

  /// Whether the peer has closed a connection of which everything was read.
  static func isClosed(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  /// Notes that libcurl keeps a connection for later; it stays watched.
  mutating func rest(_ socket: Int32, localPort: Int32, isShared: Bool, at now: Int64) {
    let place = Int(socket)
    guard sockets.indices.contains(place), sockets[place]?.address != nil else {
      unwatch(socket)
      return
    }
    sockets[place]?.rest(localPort: localPort, isShared: isShared, at: now)
    setWatched(socket, for: [.input, .closed])
    if !isShared { unseen.append(localPort) }
    if sockets[place]?.isRetired == true { breakConnection(socket) }
  }

  /// The same for a connection whose last transfer ended while it was paused: libcurl says nothing of it then.
  mutating func rest(_ place: Place, localPort: Int32, isShared: Bool, at now: Int64) {
    guard let entry = self[place.number], entry.serial == place.serial, entry.watched.isEmpty,
      !entry.isResting
    else { return }
    rest(place.number, localPort: localPort, isShared: isShared, at: now)
  }

  /// Forgets a socket that was closed unseen: its number may be that of another thread's by now.
  private mutating func setWatched(_ socket: Int32, for events: SocketPoll.Events) {
    guard isKnown(socket), let watched = sockets[Int(socket)]?.watched, watched != events else { return }
    let isOpen = poll.watch(socket, for: events, insteadOf: watched)
    if isOpen { sockets[Int(socket)]?.watched = events } else { self[socket] = nil }
  }

  /// Asked several times a request: it copies nothing.
  private func isKnown(_ socket: Int32) -> Bool {
    sockets.indices.contains(Int(socket)) && sockets[Int(socket)] != nil
  }

  func isResting(_ socket: Int32) -> Bool { isKnown(socket) && sockets[Int(socket)]?.isResting == true }

  /// Since when the one rests that has rested longest; `nil` when none does.
  var oldestRest: Int64? {
    sockets.lazy.compactMap { $0 }.filter(\.isResting).map(\.restsSince).min()
  }

  // MARK: Breaking

  /// Tells that all resting connections were looked at.
  mutating func didLook() { unseen.removeAll(keepingCapacity: true) }

  /// Makes a connection useless, if it rests, on which something came unasked: an end, an error, or bytes
  /// that would be taken for the next answer.
  ///
  /// Over TLS too, where they may be a ticket or a change of keys: only reading would tell. The connection
  /// is made anew then. With HTTP/2 they are frames, which libcurl reads with the next request.
  ///
  /// - Returns: whether it was broken.
  mutating func noticed(
    _ events: SocketPoll.Events, on socket: Int32, anyIsPaused: () -> Bool
  ) -> Bool {
    guard isResting(socket), let entry = self[socket] else { return false }
    let isOver = !events.isDisjoint(with: [.closed, .broken])
    if !entry.isShared || isOver && !anyIsPaused() {
      breakConnection(socket)
      return true
    }
    setWatched(socket, for: isOver ? [] : .closed)
    return false
  }

  /// Makes the idle connections useless, and tells their peers: all where no transfer runs, else those that rest, and with
  /// HTTP/2 only where no transfer that is paused may share them.
  mutating func breakIdle(anyRuns: Bool, anyIsPaused: Bool) {
    for socket in sockets.indices {
      guard let entry = sockets[socket], !anyRuns || entry.isResting && (!entry.isShared || !anyIsPaused)
      else { continue }
      breakConnection(Int32(socket))
    }
  }

  /// Has a connection broken when it rests, and at once those to the same peer that were to be before.
  mutating func retire(_ ends: Ends) {
    let all = sockets.indices.map(Int32.init).filter { self[$0]?.address?.text == ends.peer }
    guard let socket = all.first(where: { isConnection($0, between: ends) }) else { return }
    for other in all where other != socket && self[other]?.isRetired == true { breakConnection(other) }
    self[socket]?.isRetired = true
  }

  /// Whether a connection takes no new request and still has transfers.
  func isStillUsed(_ ends: Ends) -> Bool {
    sockets.indices.contains {
      guard let entry = sockets[$0], entry.isRetired, !entry.isResting else { return false }
      return isConnection(Int32($0), between: ends)
    }
  }

  /// Whether a socket has these ends: the system gives one near port to connections to different peers.
  private func isConnection(_ socket: Int32, between ends: Ends) -> Bool {
    guard let address = self[socket]?.address, address.port == ends.peerPort, address.text == ends.peer else {
      return false
    }
    return SocketAddress(of: socket)?.port == ends.localPort
  }

  /// A sending over it then fails before its first byte, and libcurl makes a new connection.
  private mutating func breakConnection(_ socket: Int32) {
    defer { setWatched(socket, for: []) }
    guard let peer = self[socket]?.address, let local = SocketAddress(of: socket) else { return }
    broken[socket] = Ends(peer: peer.text, peerPort: peer.port, localPort: local.port)
    // It fails on a connection that is broken already, which is as good.
    _ = shutdown(socket, Int32(SHUT_RDWR))
    Self.drain(socket)
  }

  /// Whether there are connections that were broken and are not closed yet; makes libcurl see that they are.
  func checkBroken() -> Bool {
    for socket in broken.keys { Self.drain(socket) }
    return !broken.isEmpty
  }

  /// Drops what has come: to libcurl a connection with bytes to read is alive.
  private static func drain(_ socket: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
      // A peer that goes on sending is not waited for.
      for _ in 0..<64 {
        if recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
      }
    }
  }

  /// Whether a request can be sent over a connection: not when it was broken, nor when something has come on one that
  /// rested, unasked, which is looked for where the poll could not.
  ///
  /// - Parameter hasUnread: whether the TLS library has bytes that were not read.
  mutating func canSend(from localPort: Int32, hasUnread: Bool, _ ends: () -> Ends) -> Bool {
    if !hasUnread && !unseen.contains(localPort) {
      unseen.append(localPort)
    } else {
      breakReadable(from: localPort, hasUnread: hasUnread)
    }
    return broken.isEmpty || !broken.values.contains(ends())
  }

  /// Looks at whatever rests with that near port, which to another peer may be another's too: what it has to read is unasked
  /// for there as well.
  private mutating func breakReadable(from localPort: Int32, hasUnread: Bool) {
    for index in sockets.indices where sockets[index]?.localPort == localPort {
      guard let entry = sockets[index], entry.isResting, !entry.isShared else { continue }
      if hasUnread || !Self.isQuiet(Int32(index)) { breakConnection(Int32(index)) }
    }
  }

  /// Breaks those on which something has come; for a libcurl that does not ask before it sends, and for more events than
  /// one look takes.
  mutating func breakReadable() {
    for socket in sockets.indices.lazy.map(Int32.init) {
      guard let entry = self[socket], entry.isResting, !entry.isShared, !Self.isQuiet(socket) else {
        continue
      }
      breakConnection(socket)
    }
  }

  /// Whether a connection stands and has nothing to read.
  private static func isQuiet(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
  }
}
#endif

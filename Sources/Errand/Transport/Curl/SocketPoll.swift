#if os(Linux)
import CCurl
import Foundation

/// An epoll set with an `eventfd`: waits for sockets and for wake-ups.
final class SocketPoll: Sendable {
  struct Events: OptionSet {
    let rawValue: UInt32

    static let input = Events(rawValue: EPOLLIN.rawValue)
    static let output = Events(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed its sending direction.
    static let closed = Events(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed, or the socket has an error; reported for every watched socket.
    static let broken = Events(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  private let set: Int32
  private let wakeUp: Int32

  init?() {
    set = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // The wake-up is edge-triggered, so the `eventfd` need not be read.
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: wakeUp))
    guard set >= 0, wakeUp >= 0, epoll_ctl(set, EPOLL_CTL_ADD, wakeUp, &event) == 0 else { return nil }
  }

  deinit {
    if set >= 0 { close(set) }
    if wakeUp >= 0 { close(wakeUp) }
  }

  func wake() { eventfd_write(wakeUp, 1) }

  func wait(milliseconds: Int32, into events: UnsafeMutableBufferPointer<epoll_event>) -> Int {
    Int(max(epoll_wait(set, events.baseAddress, Int32(events.count), milliseconds), 0))
  }

  func isWakeUp(_ socket: Int32) -> Bool { socket == wakeUp }

  /// Changes the watched events.
  ///
  /// Returns false if the system refuses, for example for a closed socket.
  @discardableResult
  func watch(_ socket: Int32, for events: Events, insteadOf old: Events) -> Bool {
    var event = epoll_event(events: events.rawValue, data: epoll_data_t(fd: socket))
    let operation = events.isEmpty ? EPOLL_CTL_DEL : old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
    return epoll_ctl(set, operation, socket, &event) == 0
  }
}
#endif

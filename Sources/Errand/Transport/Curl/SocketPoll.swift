#if os(Linux)
import CCurl
import Foundation

/// Waits for many sockets and for wake-ups: an epoll set with an `eventfd` in it.
///
/// The set is level-triggered; the wake-up is edge-triggered, so that it need not be read.
final class SocketPoll: Sendable {
  /// What may happen to a socket.
  struct Events: OptionSet {
    let rawValue: UInt32

    static let input = Events(rawValue: EPOLLIN.rawValue)
    static let output = Events(rawValue: EPOLLOUT.rawValue)
    /// The other side has closed its way; told to those who ask.
    static let closed = Events(rawValue: EPOLLRDHUP.rawValue)
    /// Both ways are closed, or there is an error; told to everybody.
    static let broken = Events(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  private let set: Int32
  private let wakeUp: Int32

  /// Fails when the process has no descriptors left.
  init?() {
    set = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: wakeUp))
    guard set >= 0, wakeUp >= 0, epoll_ctl(set, EPOLL_CTL_ADD, wakeUp, &event) == 0 else { return nil }
  }

  deinit {
    if set >= 0 { close(set) }
    if wakeUp >= 0 { close(wakeUp) }
  }

  /// Ends the wait that runs, or the next one; from any thread.
  func wake() { eventfd_write(wakeUp, 1) }

  /// Waits for events and gives the number of those put into `events`; wake-ups may be among them.
  func wait(milliseconds: Int32, into events: UnsafeMutableBufferPointer<epoll_event>) -> Int {
    Int(max(epoll_wait(set, events.baseAddress, Int32(events.count), milliseconds), 0))
  }

  func isWakeUp(_ socket: Int32) -> Bool { socket == wakeUp }

  /// Watches a socket for `events` instead of `old`; none of them is not at all.
  ///
  /// `false` when the socket is not the one that was watched: it was closed, and its number may be another's now.
  @discardableResult
  func watch(_ socket: Int32, for events: Events, insteadOf old: Events) -> Bool {
    var event = epoll_event(events: events.rawValue, data: epoll_data_t(fd: socket))
    let operation = events.isEmpty ? EPOLL_CTL_DEL : old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
    return epoll_ctl(set, operation, socket, &event) == 0
  }
}
#endif

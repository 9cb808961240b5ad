#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The sockets a loop waits for, in the order in which they were added.
struct PollSet {
  private var entries: [pollfd] = []

  /// Adds a socket; one that is waited for in neither direction still tells when it breaks.
  mutating func add(_ socket: Int32, input: Bool, output: Bool = false) {
    let events = (input ? POLLIN : 0) | (output ? POLLOUT : 0)
    entries.append(pollfd(fd: socket, events: Int16(events), revents: 0))
  }

  /// Waits until one is ready, or for so long; `nil` waits without end.
  mutating func wait(_ duration: Duration?) {
    _ = poll(&entries, nfds_t(entries.count), duration.map(Self.milliseconds) ?? -1)
  }

  /// Whether the socket added at `index` has input, has ended or is broken.
  func isReadable(_ index: Int) -> Bool { entries[index].revents & ~Int16(POLLOUT) != 0 }

  /// Whether anything is to be done for the socket added at `index`.
  func isReady(_ index: Int) -> Bool { entries[index].revents != 0 }

  /// Rounded up, or the loop would spin through the last millisecond; a minute at most, after which it looks again.
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let bounded = min(max(duration, .zero), .seconds(60)).components
    return Int32(bounded.seconds * 1000 + (bounded.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

#if os(Linux)
import Foundation

/// The event loops of a transport: requests to one scheme, host and port stay on one of them, so that they share its
/// connections.
struct CurlLoops: Sendable {
  private let leases: [CurlLoopLease]

  init(_ loops: [CurlLoop]) { leases = loops.map(CurlLoopLease.init) }

  /// One for every two processors, four at most.
  static let standardCount = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)

  subscript(url: URL) -> CurlLoopLease {
    guard leases.count > 1, let number = OriginNumber(of: url)?.value else { return leases[0] }
    return leases[Int(number % UInt64(leases.count))]
  }

  /// Lets the loops take no more requests for long: their connections end with their last transfers.
  func retire() {
    for lease in leases { lease.loop.retire() }
  }
}

/// Keeps a loop open: the transport and each of its bodies hold one, and the last one gone lets the thread end.
///
/// It never waits for the thread, so it may be released anywhere, also on that thread.
final class CurlLoopLease: Sendable {
  let loop: CurlLoop

  init(_ loop: CurlLoop) { self.loop = loop }

  deinit { loop.close() }
}
#endif

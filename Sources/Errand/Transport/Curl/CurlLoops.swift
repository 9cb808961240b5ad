#if os(Linux)
import Foundation

/// The event loops of a transport.
///
/// Requests to the same origin usually share a loop.
struct CurlLoops: Sendable {
  private let leases: [CurlLoopLease]

  init(_ loops: [CurlLoop]) { leases = loops.map(CurlLoopLease.init) }

  static let standardCount = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)

  subscript(url: WrittenURL) -> CurlLoopLease {
    guard leases.count > 1, let number = OriginNumber(ofText: url.text)?.value else { return leases[0] }
    return leases[Int(number % UInt64(leases.count))]
  }

  func snapshot() async -> ConnectionSettings.Pool.Snapshot {
    var snapshot = ConnectionSettings.Pool.Snapshot()
    for lease in leases { snapshot.add(await lease.loop.snapshot()) }
    return snapshot
  }

  func retire() {
    for lease in leases { lease.loop.retire() }
  }
}

/// Keeps a loop open.
///
/// The release closes the loop, without waiting for the loop's thread.
final class CurlLoopLease: Sendable {
  let loop: CurlLoop

  init(_ loop: CurlLoop) { self.loop = loop }

  deinit { loop.close() }
}
#endif

import Foundation

/// Events of any isolation, in order.
nonisolated final class Log: @unchecked Sendable {
  // Guard of `lines`: `lock`.
  private var lines: [String] = []
  private let lock = NSLock()

  func add(_ line: String) { lock.withLock { lines.append(line) } }
  var all: [String] { lock.withLock { lines } }
}

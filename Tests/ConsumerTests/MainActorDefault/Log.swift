import Foundation

/// Records events from any isolation, in order.
nonisolated final class Log: @unchecked Sendable {
  // `lock` guards `lines`.
  private var lines: [String] = []
  private let lock = NSLock()

  func add(_ line: String) { lock.withLock { lines.append(line) } }
  var all: [String] { lock.withLock { lines } }
}

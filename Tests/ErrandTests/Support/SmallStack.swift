import Foundation

/// Threads with little stack: one that ends there ends the process, and with it the tests.
enum SmallStack {
  /// What threads of Apple platforms have, also those of a pool.
  static let sizes = [512 << 10]

  /// Runs on a thread of its own; the system may give it up to four times as much.
  static func run<Result: Sendable>(
    _ size: Int, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = size
      thread.start()
    }
  }
}

import Foundation

/// A stack overflow ends the process with all tests.
enum SmallStack {
  /// The stack size of secondary threads on Apple platforms, including pool threads.
  static let sizes = [512 << 10]

  /// The system may provide a larger stack.
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

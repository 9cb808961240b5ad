import Foundation

/// Runs work on threads with a given stack size, by default enough for documents of 512 levels.
package enum Workers {
  /// Runs the work once on each of `count` threads, and waits for all threads.
  package static func run<Result: Sendable>(
    _ count: Int, stackSize: Int = 256 << 20, _ work: @escaping @Sendable (_ worker: Int) -> Result
  ) async -> [Result] {
    let results = Results<Result>()
    let group = DispatchGroup()
    for worker in 0..<count {
      group.enter()
      let thread = Thread {
        results.add(work(worker))
        group.leave()
      }
      thread.stackSize = stackSize
      thread.start()
    }
    return await withCheckedContinuation { done in
      group.notify(queue: .global()) { done.resume(returning: results.all) }
    }
  }

  // Unchecked: the lock guards `results`.
  private final class Results<Result: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result] = []

    var all: [Result] { lock.withLock { results } }
    func add(_ result: Result) { lock.withLock { results.append(result) } }
  }
}

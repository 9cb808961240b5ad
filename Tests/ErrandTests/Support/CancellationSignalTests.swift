import Testing

@testable import Errand

@Suite("The cancellation signal")
struct CancellationSignalTests {
  let signal = CancellationSignal()
  let recorder = Recorder()

  @Test("Handlers run once, and the first to cancel is remembered")
  func once() {
    signal.onCancel { [recorder] in recorder.add("a") }
    #expect(!signal.isCancelled)
    signal.cancel(by: .agent)
    signal.cancel(by: .task)
    #expect(signal.isCancelled)
    #expect(signal.source == .agent)
    #expect(recorder.events == ["a"])
  }

  @Test("A handler added to a fired signal runs at once, and a removed handler never")
  func lateAndRemoved() {
    let removed = signal.onCancel { [recorder] in recorder.add("removed") }
    signal.removeHandler(removed)
    signal.cancel()
    signal.onCancel { [recorder] in recorder.add("late") }
    #expect(recorder.events == ["late"])
  }

  @Test("A closed signal cannot fire and keeps no handler")
  func closed() {
    final class Counter: Sendable {
      let count = Locked(0)
    }
    let counter = Counter()
    weak var kept: Counter?
    func add(_ counter: Counter) {
      kept = counter
      signal.onCancel { counter.count.withLock { $0 += 1 } }
    }
    add(Counter())
    #expect(kept != nil)
    #expect(!signal.close())
    #expect(kept == nil)
    add(counter)
    signal.cancel()
    #expect(counter.count.withLock { $0 } == 0)
    #expect(!signal.isCancelled)
  }

  @Test("Of any number of handlers, each handler that is not removed runs once", arguments: 0...5)
  func several(count: Int) {
    for removed in 0...count {
      let (signal, recorder) = (CancellationSignal(), Recorder())
      let ids = (0..<count).map { number in signal.onCancel { recorder.add("\(number)") } }
      if removed < count { signal.removeHandler(ids[removed]) }
      let late = signal.onCancel { recorder.add("late") }
      if removed == count { signal.removeHandler(late) }
      signal.cancel()
      let expected = (0..<count).filter { $0 != removed }.map { "\($0)" } + (removed == count ? [] : ["late"])
      #expect(recorder.events.sorted() == expected)
    }
  }

  @Test(
    "A handler is released outside the lock, so its captures may use the signal",
    .timeLimit(.minutes(5)))
  func release() {
    final class Cancelling: Sendable {
      let signal: CancellationSignal
      init(_ signal: CancellationSignal) { self.signal = signal }
      deinit { signal.cancel() }
      func nothing() {}
    }
    func add() -> CancellationSignal.HandlerID {
      let object = Cancelling(signal)
      return signal.onCancel { object.nothing() }
    }
    signal.removeHandler(add())
    #expect(signal.isCancelled)
  }

  @Test(
    "With cancellations and handlers from many threads, each handler that is not removed runs exactly once")
  func concurrently() async {
    for _ in 0..<200 {
      let (signal, calls) = (CancellationSignal(), Locked(0))
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            if index == 4 { signal.cancel() } else { signal.onCancel { calls.withLock { $0 += 1 } } }
          }
        }
      }
      #expect(calls.withLock { $0 } == 7)
    }
  }

  @Test("The signal cancels an operation in a task, also if the signal fired earlier")
  func cancelling() async {
    let started = OneTime<Bool>()
    let running = Task { [signal] in
      try await signal.cancelling {
        started.set(true)
        return try await OneTime<Int>().wait()
      }
    }
    _ = try? await started.wait()
    signal.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    await #expect(throws: CancellationError.self) {
      try await signal.cancelling { try await OneTime<Int>().wait() }
    }
  }
}

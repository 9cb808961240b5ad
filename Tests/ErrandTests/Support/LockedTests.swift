import Testing

@testable import Errand

@Suite("Locked")
struct LockedTests {
  /// Guarded by the lock under test.
  private final class Counter: @unchecked Sendable {
    /// Guard: the lock of the test.
    var count = 0
  }

  @Test("A lock without a value excludes other threads, and Thread Sanitizer sees no race")
  func ofNothing() async {
    let (lock, counter) = (Locked(()), Counter())
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2_000 { lock.withLock { _ in counter.count += 1 } }
        }
      }
    }
    #expect(counter.count == 8_000)
  }

  @Test("The value is released with the last copy of its lock")
  func releasesItsValue() {
    final class Kept: Sendable {}
    weak var kept: Kept?
    do {
      let lock = Locked([Kept()])
      let copy = lock
      kept = copy.withLock { $0[0] }
      #expect(kept != nil)
      lock.withLock { $0.append(Kept()) }
    }
    #expect(kept == nil)
  }
}

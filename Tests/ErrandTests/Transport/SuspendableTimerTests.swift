import Testing

@testable import Errand

@Suite("A timer that pauses with its dispatch", .timeLimit(.minutes(5)))
struct SuspendableTimerTests {
  @Test("A suspension stops the timer, its end restarts the timer, and a stopped timer stays stopped")
  func rests() async throws {
    let suspension = SuspensionSignal()
    let (fired, later, stopped) = (OneTime<Void>(), OneTime<Void>(), OneTime<Void>())
    suspension.suspend()
    let timer = SuspendableTimer(after: .milliseconds(1), suspension: suspension) { fired.set(()) }
    let other = SuspendableTimer(after: .milliseconds(1), suspension: suspension) { stopped.set(()) }
    other.stop()
    let running = SuspendableTimer(after: .milliseconds(50), suspension: nil) { later.set(()) }
    _ = try await later.wait()
    #expect(fired.value == nil)
    suspension.resume()
    _ = try await fired.wait()
    #expect(stopped.value == nil)
    timer.stop()
    running.stop()
  }

  @Test("The end of a suspension does not restart a timer that has fired")
  func firesOnce() async throws {
    let suspension = SuspensionSignal()
    let (count, fired, later) = (Locked(0), OneTime<Void>(), OneTime<Void>())
    let timer = SuspendableTimer(after: .milliseconds(1), suspension: suspension) {
      count.withLock { $0 += 1 }
      fired.set(())
    }
    _ = try await fired.wait()
    suspension.suspend()
    suspension.resume()
    let other = SuspendableTimer(after: .milliseconds(50), suspension: nil) { later.set(()) }
    _ = try await later.wait()
    #expect(count.withLock { $0 } == 1)
    timer.stop()
    other.stop()
  }
}

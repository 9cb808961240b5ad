import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The byte counter of a dispatch")
struct TransferMeterTests {
  let clock = TestClock()
  let meter: TransferMeter

  init() { meter = TransferMeter(AgentClock(clock)) }

  private var text: String { "\(meter.progress.attempt) \(meter.progress)" }

  @Test(
    "Sending is reported before receiving, and bytes received before the response's acceptance count afterwards"
  )
  func phases() {
    meter.begin(attempt: 1)
    #expect(text == "1 waiting 0 bytes")
    let counter = meter.begin(.text("hello"))
    #expect(text == "1 sending 0 of 5 bytes, 0 %")
    counter.sent(5, of: 5)
    #expect(text == "1 sending 5 of 5 bytes, 100 %")
    counter.received(100, of: 400)
    #expect(text == "1 sending 5 of 5 bytes, 100 %")
    meter.accept(total: nil)
    #expect(text == "1 receiving 100 of 400 bytes, 25 %")
    // The transport counts these bytes, so the meter ignores the call.
    meter.noteRead(4_000)
    counter.received(400, of: 400)
    counter.sent(9, of: 9)
    #expect(text == "1 receiving 400 of 400 bytes, 100 %")
    #expect(meter.progress.sent == 5)
  }

  @Test("A redirect sends the body again, the count waits, and late reports do not count")
  func hops() {
    meter.begin(attempt: 1)
    let first = meter.begin(.text("hello"))
    first.sent(5, of: 5)
    first.received(77, of: 77)
    let second = meter.begin(.text("hello"))
    first.received(77, of: 78)
    second.sent(2, of: 5)
    #expect(text == "1 sending 5 of 5 bytes, 100 %")
    meter.accept(total: 10)
    #expect(text == "1 receiving 0 of 10 bytes, 0 %")
    meter.noteRead(10)
    #expect(text == "1 receiving 10 of 10 bytes, 100 %")
  }

  @Test("Counts never decrease, a new attempt restarts, and an end without a length has a total")
  func monotonic() {
    meter.begin(attempt: 1)
    let counter = meter.begin(.none)
    meter.accept(total: nil)
    counter.received(10, of: nil)
    counter.received(7, of: nil)
    #expect(text == "1 receiving 10 bytes")
    meter.begin(attempt: 2)
    #expect(text == "2 waiting 0 bytes")
    counter.received(11, of: nil)
    _ = meter.begin(.none)
    meter.accept(total: nil)
    meter.noteRead(3)
    #expect(text == "2 receiving 3 bytes")
    meter.complete()
    #expect(text == "2 receiving 3 of 3 bytes, 100 %")
  }

  @Test("A new attempt has no throughput until bytes move")
  func restart() async {
    meter.begin(attempt: 1)
    let counter = meter.begin(.none)
    meter.accept(total: nil)
    await clock.advance(by: .seconds(1))
    counter.received(100, of: nil)
    #expect(meter.progress.throughput == 100)
    meter.begin(attempt: 2)
    #expect(meter.progress.throughput == nil)
    await clock.advance(by: .seconds(3))
    #expect(meter.progress.throughput == nil)
  }

  @Test("The partial file counts in the progress, and not in the throughput")
  func offset() async {
    meter.begin(attempt: 1)
    let counter = meter.begin(.none)
    meter.accept(total: 600, keptBytes: 400)
    #expect(text == "1 receiving 400 of 1000 bytes, 40 %")
    await clock.advance(by: .seconds(1))
    counter.received(200, of: 600)
    #expect(text == "1 receiving 600 of 1000 bytes, 60 %")
    #expect(meter.progress.throughput == 200)
    #expect(meter.progress.timeLeft == .seconds(2))
  }

  @Test("The throughput is that of the last two to four seconds, and a stalled transfer becomes slow")
  func pace() async {
    meter.begin(attempt: 1)
    let counter = meter.begin(.none)
    meter.accept(total: 100_000)
    #expect(meter.progress.throughput == nil && meter.progress.timeLeft == nil)
    for second in 1...10 {
      await clock.advance(by: .seconds(1))
      counter.received(Int64(second) * (second < 6 ? 100 : 1_000), of: 100_000)
    }
    // From 8,000 bytes after eight seconds to 10,000 bytes after eleven seconds.
    await clock.advance(by: .seconds(1))
    #expect(meter.progress.throughput.map { $0.rounded() } == 667)
    await clock.advance(by: .seconds(97))
    #expect(meter.progress.throughput.map { $0.rounded() } == 20)
    #expect(meter.progress.timeLeft.map { ($0 / .seconds(1)).rounded() } == 4_500)
  }

  @Test("Fractions stay within 0 and 1, for any lengths from servers")
  func fractions() {
    #expect(TransferProgress(completed: 3, total: 2).fraction == 1)
    #expect(TransferProgress(completed: 0, total: 0).fraction == 1)
    #expect(TransferProgress(completed: 1, total: 4).fraction == 0.25)
    #expect(TransferProgress(completed: 1, total: -4).fraction == 1)
    #expect(TransferProgress(completed: 1).fraction == nil)
    #expect(TransferProgress(completed: 1, total: .max, throughput: 1e-9).timeLeft == .seconds(1_000_000_000))
    #expect(TransferProgress(completed: 1, total: 2, throughput: 0).timeLeft == nil)
  }

  @Test("Extreme numbers cause no crash")
  func hostile() {
    meter.begin(attempt: 1)
    let counter = meter.begin(.none)
    meter.accept(total: .max, keptBytes: .max)
    counter.received(.max, of: .max)
    counter.received(.min, of: .min)
    meter.noteRead(.max)
    meter.complete()
    #expect(meter.progress.fraction == 1)
  }
}

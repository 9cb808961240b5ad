#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: the heap of timers")
struct TransferTimersTests {
  /// Timeouts in milliseconds; the driver only runs to release its resources.
  private func withTransfers(_ milliseconds: [Int], _ body: ([CurlTransfer], _ now: Int64) -> Void) throws {
    let loop = CurlLoop()
    let driver = CurlDriver(loop: loop, poll: try #require(SocketPoll()))
    let url = try #require(URL(string: "http://127.0.0.1/"))
    let transfers = try milliseconds.map {
      let request = TransportRequest(HTTPRequest(url: url), timeout: .milliseconds($0), limits: .unlimited)
      let exchange = CurlExchange(request, upload: .none, loop: loop)
      return CurlTransfer(exchange, handle: try #require(CurlHandle()), driver: driver)
    }
    body(transfers, driver.now)
    loop.close()
    driver.run()
  }

  @Test("timers expire in the order of their deadlines, and removed timers never")
  func order() throws {
    var random: UInt64 = 42
    let timeouts = (0..<500).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % 10_000
    }
    try withTransfers(timeouts) { transfers, now in
      var timers = TransferTimers()
      for transfer in transfers { timers.insert(transfer) }
      for index in stride(from: 0, to: 500, by: 3) { timers.remove(transfers[index]) }
      var expired: [Int64] = []
      for second in Int64(0)...10 {
        expired += timers.removeExpired(at: now + second * 1_000_000_000).map { ($0.timer - now) / 1_000_000 }
      }
      let left = timeouts.enumerated().filter { $0.offset % 3 != 0 }.map { Int64($0.element) }
      #expect(expired == left.sorted())
      #expect(transfers.allSatisfy { $0.timerIndex == nil })
    }
  }

  @Test("the sleep is rounded up to milliseconds, and at most a minute")
  func sleep() throws {
    try withTransfers([250, 3_600_000]) { transfers, now in
      var timers = TransferTimers()
      #expect(timers.milliseconds(from: now) == 60_000)
      timers.insert(transfers[1])
      #expect(timers.milliseconds(from: now) == 60_000)
      timers.insert(transfers[0])
      #expect(timers.milliseconds(from: now) == 250)
      #expect(timers.milliseconds(from: now + 1) == 250)
      #expect(timers.milliseconds(from: now + 249_999_999) == 1)
      #expect(timers.milliseconds(from: now + 300_000_000) == 0)
    }
  }

  @Test("a returned handle releases its transfer, with or without a place in the pool")
  func pool() throws {
    try withTransfers(Array(repeating: 1, count: 100)) { transfers, _ in
      var pool = CurlHandlePool()
      for transfer in transfers {
        transfer.handle.transfer = transfer
        pool.give(transfer.handle)
      }
      #expect(transfers.allSatisfy { $0.handle.transfer == nil })
    }
  }
}
#endif

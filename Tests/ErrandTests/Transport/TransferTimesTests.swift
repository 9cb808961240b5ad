#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: starts of time limits")
struct TransferTimesTests {
  private func times(_ change: (inout TransferLimits) -> Void) throws -> TransferTimes {
    var limits = TransferLimits()
    change(&limits)
    let url = try #require(URL(string: "http://a/"))
    return TransferTimes(
      TransportRequest(HTTPRequest(url: url), timeout: .seconds(60), limits: limits), now: 0)
  }

  @Test("The first bytes start the window of the minimum throughput, which may move the deadline forward")
  func throughput() throws {
    let second: Int64 = 1_000_000_000
    var times = try times {
      ($0.connectTimeout, $0.minimumThroughput) = (nil, .init(bytes: 100, per: .seconds(10)))
    }
    #expect(times.deadline == 60 * second)
    #expect(times.noteReceived(1, at: second) && times.deadline == 11 * second)
    #expect(!times.noteReceived(99, at: 2 * second) && times.deadline == 11 * second)
    #expect(times.breach(at: 11 * second) { 0 } == nil && times.deadline == 21 * second)
    #expect(
      times.breach(at: 21 * second) { 0 }?.message
        == "fewer bytes were received than limits.minimumThroughput, 100 in 10 s")
    var without = try self.times { ($0.connectTimeout, $0.minimumThroughput) = (nil, nil) }
    #expect(!without.noteReceived(1, at: second) && without.deadline == 61 * second)
  }

  @Test(
    "The time to the first byte starts with the sending, regardless of the time for name, connection and TLS")
  func firstByte() throws {
    let second: Int64 = 1_000_000_000
    var times = try times { $0.firstByteTimeout = .seconds(1) }
    #expect(times.deadline == second)
    #expect(times.breach(at: second) { nil } == nil)
    #expect(times.deadline == 2 * second)
    #expect(times.breach(at: 2 * second) { 3 * second / 2 } == nil)
    #expect(times.deadline == 5 * second / 2)
    let breach = times.breach(at: 5 * second / 2) { 3 * second / 2 }
    #expect(breach == .passed(.firstByte, of: .seconds(1)))
    #expect(breach?.message == "no byte of the response came within limits.firstByteTimeout, 1 s")
  }

  @Test("The silence that a maximum rate needs after a burst counts for no time limit")
  func throttledReceiving() throws {
    let second: Int64 = 1_000_000_000
    var times = try times {
      ($0.connectTimeout, $0.minimumThroughput, $0.maximumReceiveRate) = (nil, nil, 1000)
    }
    // At the maximum rate, the bytes take until second 101.
    _ = times.noteReceived(60_000, at: second)
    _ = times.noteReceived(40_000, at: 2 * second)
    #expect(times.breach(at: 62 * second) { 0 } == nil && times.deadline == 122 * second)
    #expect(times.breach(at: 122 * second) { 0 } == nil && times.deadline == 161 * second)
    #expect(
      times.breach(at: 161 * second) { 0 }?.message == "no byte was sent or received for 60 s")

    var measured = try self.times {
      ($0.connectTimeout, $0.minimumThroughput) = (nil, .init(bytes: 100, per: .seconds(10)))
      $0.maximumReceiveRate = 1000
    }
    let isFirst = measured.noteReceived(100_000, at: second)
    #expect(isFirst)
    for seconds: Int64 in [11, 21, 100] {
      #expect(measured.breach(at: seconds * second) { 0 } == nil)
      #expect(measured.deadline == (seconds + 10) * second)
    }
    #expect(measured.breach(at: 110 * second) { 0 }?.message.contains("limits.minimumThroughput") == true)
  }

  @Test("The time to the first byte starts after the silence that the maximum send rate needs")
  func throttledSending() throws {
    let second: Int64 = 1_000_000_000
    var times = try times {
      ($0.connectTimeout, $0.firstByteTimeout, $0.maximumSendRate) = (nil, .seconds(5), 1000)
    }
    times.noteSent(20_000, at: 0)
    #expect(times.breach(at: 5 * second) { 0 } == nil && times.deadline == 10 * second)
    #expect(times.breach(at: 24 * second) { 0 } == nil && times.deadline == 25 * second)
    #expect(times.breach(at: 25 * second) { 0 } == .passed(.firstByte, of: .seconds(5)))
  }

  @Test("If the sending starts at once, the limit is not extended")
  func atOnce() throws {
    var times = try times { $0.firstByteTimeout = .seconds(1) }
    #expect(times.breach(at: 1_000_000_000) { 0 }?.kind == .timedOut)
  }
}
#endif

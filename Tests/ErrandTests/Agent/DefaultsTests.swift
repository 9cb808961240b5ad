import Foundation
import Testing

@testable import Errand

@Suite("Default values")
struct DefaultsTests {
  @Test("The limits of a transfer have the documented defaults, and unlimited has none")
  func limits() {
    let limits = TransferLimits()
    #expect(
      [limits.headSize, limits.headerCount, limits.informationalCount] == [262_144, 1_000, 20])
    #expect([limits.bodySize, limits.streamSize, limits.decodedSize] == [268_435_456, nil, nil])
    #expect(limits.decodedRatio == 200 && limits.decodedRatioGrace == 8_388_608)
    #expect(
      [limits.connectTimeout, limits.firstByteTimeout, limits.attemptTimeout] == [.seconds(30), nil, nil])
    #expect(limits.minimumThroughput == nil && TransferLimits.Throughput(bytes: 1).window == .seconds(10))
    #expect(
      [limits.maximumReceiveRate, limits.maximumSendRate, limits.expectContinueSize] == [nil, nil, nil])
    let none = TransferLimits.unlimited
    #expect(
      [none.headSize, none.headerCount, none.informationalCount, none.bodySize, none.streamSize]
        == Array(repeating: nil, count: 5))
    #expect(none.decodedSize == nil && none.decodedRatio == nil && none.connectTimeout == nil)
  }

  @Test("The connection settings have the documented defaults")
  func protection() {
    let breaker = CircuitBreaker()
    #expect(breaker.failureRate == 0.5 && breaker.minimumRequests == 20 && breaker.probes == 1)
    #expect(breaker.window == .seconds(30) && breaker.openTime == .seconds(15))
    #expect(breaker.statuses == [500, 502, 503, 504])
    let budget = RetryBudget.standard
    #expect(budget.ratio == 0.2 && budget.minimumPerSecond == 10 && budget.window == .seconds(10))
    #expect(!budget.isOff && RetryBudget.unlimited.isOff)
    let rate = RateLimit(7, per: .seconds(3))
    #expect(rate.burst == 7 && rate.serverWaitCap == .seconds(600))
  }

  @Test("A retry policy has the documented defaults")
  func retries() {
    for policy in [RetryPolicy.upTo(1), .unlimited()] {
      #expect(
        policy.statuses == [
          408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527, 529, 530, 598, 599,
        ] && policy.timeLimit == nil)
      #expect(policy.retriesConnectionFailures && !policy.retriesUnsafeMethods)
      #expect(policy.retryAfterCap == .seconds(600) && !policy.isOff && !policy.isInherited)
      #expect(policy.backoff.first == .seconds(1)...(.seconds(2)) && policy.backoff.factor == 2)
      #expect(policy.backoff.cap == .seconds(60))
    }
    #expect(RetryPolicy.upTo(1).limit == 1 && !RetryPolicy.upTo(1).backoff.endsAtCap)
    #expect(RetryPolicy.unlimited().limit == nil && RetryPolicy.unlimited().backoff.endsAtCap)
    #expect(RetryPolicy.none.isOff && !RetryPolicy.none.isInherited && RetryPolicy.inherited.isInherited)
    let constant = RetryPolicy.Backoff.constant(.seconds(3))
    #expect(constant.first == .seconds(3)...(.seconds(3)) && constant.cap == .seconds(3))
    #expect(constant.factor == 1 && !constant.endsAtCap)
    #expect(RetryPolicy.Backoff.constant(.seconds(-1)) == .constant())
  }

  @Test("An agent has ten slots for an origin, no authenticator and no mocks, and follows ten redirects")
  func agent() {
    let configuration = AgentConfiguration()
    #expect(configuration.maxRequestsPerOrigin == 10 && !configuration.allowsMocks)
    #expect(configuration.authenticator == nil && configuration.trustedOrigins == [])
    #expect(configuration.circuitBreaker == nil && configuration.rateLimit == nil)
    #expect(configuration.retryPolicy.isOff && RedirectPolicy.standardLimit == 10)
    #expect(configuration.cdnURL == nil && configuration.headers.fields.isEmpty)
  }
}

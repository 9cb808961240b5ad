import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry

@Suite("The histogram of durations")
struct DurationHistogramTests {
  @Test("Buckets are continuous, and 1,024 buckets reach to 19 hours")
  func buckets() {
    #expect((0..<65).map { DurationHistogram.bucket(of: UInt64($0)) } == Array(0..<65))
    var last = 31
    for exponent in 5..<36 {
      for part in 0..<32 {
        let value = UInt64(1) << UInt64(exponent) + UInt64(part) << UInt64(exponent - 5)
        let bucket = DurationHistogram.bucket(of: value)
        #expect(bucket == last + 1)
        last = bucket
      }
    }
    #expect(DurationHistogram.bucket(of: 1 << 36 - 1) == 1023)
  }

  @Test("An empty histogram has zeros, and odd durations are bounded")
  func bounds() {
    var histogram = DurationHistogram()
    #expect(histogram.quantile(0.5) == .zero && histogram.maximum == .zero && histogram.count == 0)
    histogram.record(.seconds(-1))
    #expect(histogram.quantile(1) == .zero && histogram.minimum == .zero && histogram.count == 1)
    histogram.record(.seconds(Int64.max))
    #expect(histogram.quantile(1) == .microseconds(1 << 36 - 1))
    #expect(histogram.maximum == .microseconds(1 << 36 - 1))
  }

  @Test("Quantiles of 100,000 random durations differ by at most 1/64", arguments: [1, 2, 3, 4] as [UInt64])
  func quantiles(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var histogram = DurationHistogram()
    var all: [Double] = []
    for _ in 0..<100_000 {
      // From 1 µs to 1,000 s.
      let microseconds = pow(10, Double.random(in: 0...9, using: &generator)).rounded()
      all.append(microseconds)
      histogram.record(.microseconds(microseconds))
    }
    all.sort()
    for share in [0, 0.001, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
      let exact = all[max(Int((share * 100_000).rounded(.up)), 1) - 1]
      let found = histogram.quantile(share) / .microseconds(1)
      #expect(abs(found - exact) <= max(exact / 64, 1), "\(share): \(found) for \(exact)")
    }
    #expect(histogram.minimum == .microseconds(all[0]) && histogram.count == 100_000)
  }
}

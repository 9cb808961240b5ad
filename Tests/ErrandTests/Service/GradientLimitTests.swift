import Testing

@testable import Errand
@testable import ErrandService

/// `ERRAND_LOAD_FIGURES=1` prints the measured shares.
@Suite("The adaptive limit in a simulated queue", .timeLimit(.minutes(5)))
struct GradientLimitTests {
  struct Row: CustomTestStringConvertible {
    let name: String
    let model: QueueModel
    var testDescription: String { name }
  }

  static let serviceTimes: [Row] = [0.001, 0.01, 0.05, 0.2, 1].flatMap { service in
    [QueueModel.Variation.constant, .exponential].map { variation in
      Row(
        name: "\(service) s, \(variation)",
        model: QueueModel(
          periods: [QueueModel.Period(length: service * 400, workers: 16, service: service)],
          network: 0.002, variation: variation, longestQueue: 64))
    }
  }

  static let steps: [Row] = [QueueModel.Variation.constant, .exponential].flatMap { variation in
    [
      ("capacity from 32 to 8 and back", [(10.0, 32, 0.02), (10, 8, 0.02), (10, 32, 0.02)]),
      ("service time from 20 ms to 80 ms", [(10, 16, 0.02), (40, 16, 0.08)]),
      ("service time from 80 ms to 20 ms", [(40, 16, 0.08), (10, 16, 0.02)]),
    ].map { name, periods in
      Row(
        name: "\(name), \(variation)",
        model: QueueModel(
          periods: periods.map { QueueModel.Period(length: $0, workers: $1, service: $2) },
          network: 0.002, variation: variation, longestQueue: 40))
    }
  }

  private static let fixedLimits = [8, 16, 20, 24, 32, 48, 64]

  /// A simulation has no concurrency, so sanitizers see a single row.
  @Test(
    "The throughput is at least 95 % of the best fixed limit",
    arguments: Sanitizer.isOn ? [serviceTimes[2]] : serviceTimes + steps)
  func throughput(_ row: Row) {
    let best = Self.fixedLimits.map { row.model.run(limit: $0).served }.max() ?? 0
    let found = row.model.run(GradientLimit(AdaptiveConcurrency()))
    let share = Double(found.served) / Double(best)
    Figures.print("adaptive limit, \(row.name): \(share) of the best fixed limit, \(found.refused) refused")
    #expect(share >= 0.95)
    #expect(Double(found.refused) < 0.02 * Double(found.served))
  }
}

import Errand

/// An error about stubs with too few answers, or about probably misspelt scenarios or states.
public struct UnusedStubs: Error, Sendable, CustomStringConvertible {
  /// The stubs that gave fewer answers than expected, in matching order.
  public let stubs: [Stub]
  /// The number of answers given by each element of `stubs`.
  public let counts: [Int]
  /// The problems of scenarios, in words.
  public let scenarioProblems: [String]

  static func check(_ unused: [(stub: Stub, count: Int)], scenarioProblems: [String]) throws {
    guard !unused.isEmpty || !scenarioProblems.isEmpty else { return }
    throw UnusedStubs(
      stubs: unused.map(\.stub), counts: unused.map(\.count), scenarioProblems: scenarioProblems)
  }

  /// The stubs and the problems: `1 stub was never used: GET /users/7 (UserTests.swift:12)`.
  public var description: String {
    let parts = (stubs.isEmpty ? [] : [listed]) + scenarioProblems
    return parts.joined(separator: "; ").printed
  }

  private var listed: String {
    let subject = stubs.count == 1 ? "1 stub was" : "\(stubs.count) stubs were"
    let problem = counts.allSatisfy { $0 == 0 } ? "never used" : "not used up"
    let lines = zip(stubs, counts).map { stub, count in
      let wanted = stub.counts.lowest
      guard wanted > 1 || problem != "never used" else { return "\(stub)" }
      let isLeast = stub.counts.highest != wanted && wanted > 1
      return
        "\(stub) answered \(count) of \(isLeast ? "at least " : "")\(wanted) time\(wanted == 1 ? "" : "s")"
    }
    return "\(subject) \(problem): \(lines.joined(separator: ", "))"
  }
}

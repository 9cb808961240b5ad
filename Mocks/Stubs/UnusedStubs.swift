import Errand

/// An error about stubs that have answered nothing, or less often than they say, and about names of scenarios that lead nowhere:
/// the test took another way than it says.
public struct UnusedStubs: Error, Sendable, CustomStringConvertible {
  /// The stubs, in their order.
  public let stubs: [Stub]
  /// How often each of them has answered.
  public let counts: [Int]
  /// What is wrong with scenarios, in words; mostly nothing.
  public let scenarioProblems: [String]

  /// Fails when there is one.
  static func check(_ unused: [(stub: Stub, count: Int)], scenarioProblems: [String]) throws {
    guard !unused.isEmpty || !scenarioProblems.isEmpty else { return }
    throw UnusedStubs(
      stubs: unused.map(\.stub), counts: unused.map(\.count), scenarioProblems: scenarioProblems)
  }

  /// Each stub with the file and the line where it was written, and with how often it has answered where it says more
  /// than once; then the problems of scenarios.
  ///
  /// ```
  /// 2 stubs were never used: GET /users/7 (UserTests.swift:12), POST /users (UserTests.swift:13)
  /// 1 stub was not used up: POST /users (UserTests.swift:13) answered 1 of 3 times
  /// ```
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

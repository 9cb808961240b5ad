public import Errand

/// The calls of one stub in one mock; they are there as long as the stub or the mock is.
///
/// It knows neither of them, or they would keep each other alive.
final class StubCalls: Sendable {
  /// Their numbers among all that the mock received.
  private let numbers = Locked<[Int]>([])
  private let journal: any RequestJournal
  /// Has the values of the variables, which a stub that this one was made of may have elsewhere.
  private let pattern: RequestPattern

  init(_ journal: any RequestJournal, of pattern: RequestPattern) {
    self.journal = journal
    self.pattern = pattern
  }

  /// Tells one mock from another.
  var mock: ObjectIdentifier { ObjectIdentifier(journal) }

  var count: Int { numbers.withLock { $0.count } }

  /// Those of the requests that the mock still has, by their numbers, with the values of the path's variables.
  var requests: [ReceivedRequest] {
    journal.requests(numbered: numbers.withLock { $0 }).map { $0.filled(for: pattern) }
  }

  /// Counts a call; gives how many there were before, or `nil` without counting when that is the limit.
  @inline(__always)
  func add(_ number: Int, limit: Int) -> Int? {
    numbers.withLock { numbers in
      let count = numbers.count
      guard count < limit else { return nil }
      numbers.append(number)
      return count
    }
  }

  func reset() { numbers.withLock { $0 = [] } }
}

/// What a mock has received.
protocol RequestJournal: AnyObject, Sendable {
  /// The requests of some numbers, in the order of these; without what it has forgotten.
  func requests(numbered numbers: [Int]) -> [ReceivedRequest]
}

/// How often it was asked, and for what.
extension Stub {
  /// The requests that it has answered, in their order, with the values of its path's ``ReceivedRequest/variables``.
  ///
  ///     let create = Stub(.post, "/users", answers: .status(201))
  ///     let agent = RequestAgent.mocked(create)
  ///     try await agent.send(.post("users", parameters: ["name": "Ada"], serializer: .json))
  ///     #expect(create.calls.map(\.text) == [#"{"name":"Ada"}"#])
  ///
  /// A copy of a stub is the same stub. What is made of it by a method, such as `stub.times(2)` or `[stub].under(…)`, has calls of
  /// its own, which are this one's too: the stub that a test has kept knows them. It does not work the other way, as a stub knows
  /// nothing of what it was made of.
  ///
  /// What it answered in several mocks comes one mock after the other. The mocks may be gone: a stub that many tests share keeps the
  /// requests of all, and a mock's own are `transport.calls(of: stub)`.
  public var calls: [ReceivedRequest] { record.requests }

  /// Throws ``UnexpectedCalls`` unless it has answered exactly so many requests, and where it was given to no mock, nor anything
  /// made of it: then no number says anything.
  ///
  /// - Parameters:
  ///   - count: how many, in all mocks it was given to.
  ///   - fileID: where it is checked; the caller's file by default.
  ///   - line: where it is checked; the caller's line by default.
  public func checkCalled(times count: Int, fileID: String = #fileID, line: Int = #line) throws {
    try check(calls, against: CallCount(count...count), fileID: fileID, line: line)
  }

  /// Throws ``UnexpectedCalls`` unless the number of requests that it has answered is in a range: `1...` is at least one,
  /// `...3` at most three.
  ///
  /// It throws for a stub that was given to no mock too.
  ///
  /// - Parameters:
  ///   - counts: how many, in all mocks it was given to.
  ///   - fileID: where it is checked; the caller's file by default.
  ///   - line: where it is checked; the caller's line by default.
  public func checkCalled(
    times counts: some RangeExpression<Int>, fileID: String = #fileID, line: Int = #line
  ) throws {
    try check(calls, against: CallCount(counts), fileID: fileID, line: line)
  }

  private func check(_ calls: [ReceivedRequest], against wanted: CallCount, fileID: String, line: Int) throws
  {
    let problem = record.problem
    guard problem != nil || !wanted.contains(calls.count) else { return }
    let count = "answered \(calls.count) request\(calls.count == 1 ? "" : "s"), not \(wanted)"
    throw UnexpectedCalls(
      problem: "\(self) \(problem ?? count)",
      calls: calls, lines: calls.map { $0.line(hiding: secrets) }, fileID: fileID, line: line)
  }
}

/// How many calls a stub is to have.
struct CallCount: Sendable, CustomStringConvertible {
  let lowest: Int
  /// `nil` when there may be any number.
  let highest: Int?

  /// Takes the numbers from 0 on that are in a range; one below zero has none of them.
  init(_ counts: some RangeExpression<Int>) {
    let range = counts.relative(to: AllCounts())
    lowest = max(range.lowerBound, 0)
    highest = range.upperBound == .max ? nil : range.upperBound - 1
  }

  private init(lowest: Int, highest: Int?) {
    self.lowest = lowest
    self.highest = highest
  }

  /// The same from none on.
  var optional: CallCount { CallCount(lowest: 0, highest: highest) }

  func contains(_ count: Int) -> Bool { count >= lowest && count <= highest ?? .max }

  var description: String {
    guard let highest else { return "at least \(lowest)" }
    if highest == lowest { return "\(lowest)" }
    return lowest == 0 ? "at most \(highest)" : "\(lowest) to \(highest)"
  }

  /// The numbers that a range may be of: an open end of it is one of theirs, and a range of others would be none.
  private struct AllCounts: Collection {
    var startIndex: Int { .min }
    var endIndex: Int { .max }
    func index(after index: Int) -> Int { index == .max ? .max : index + 1 }
    subscript(index: Int) -> Int { index }
  }
}

/// An error about stubs that have answered other requests than a test says, or in another order, and about requests that have
/// not come in time.
public struct UnexpectedCalls: Error, Sendable, PrintedByDescription {
  /// The most calls that are named.
  private static let limit = 10

  private let problem: String
  /// The requests that were answered, or that came, in their order.
  public let calls: [ReceivedRequest]
  /// Each call in words, its secrets hidden.
  private let lines: [String]
  /// The module and the file of the check, such as `AppTests/UserTests.swift`.
  public let fileID: String
  /// The line of the check.
  public let line: Int

  init(problem: String, calls: [ReceivedRequest], lines: [String], fileID: String, line: Int) {
    self.problem = problem
    self.calls = calls
    self.lines = lines
    self.fileID = fileID
    self.line = line
  }

  /// What is wrong, where it was checked, and the calls; secrets hidden.
  ///
  /// ```
  /// POST /users (UserTests.swift:12) answered 1 request, not 2 (UserTests.swift:20):
  /// 1. POST /users
  /// ```
  public var description: String {
    let place = "\(problem) (\(fileID.split(separator: "/").last ?? "?"):\(line))"
    guard !lines.isEmpty else { return place.printed }
    let shown = lines.prefix(Self.limit).enumerated().map { "\n\($0.offset + 1). \($0.element)" }
    let rest = lines.count > Self.limit ? "\nand \(lines.count - Self.limit) more" : ""
    return "\(place):\(shown.joined())\(rest)".printed
  }
}

extension ReceivedRequest {
  /// The method and the target, what is secret hidden.
  func line(hiding secrets: [Secret]) -> String {
    let redaction = Redaction.standard.hiding(secrets: secrets)
    return "\(method) \((sent.map(redaction.hidingCredentials) ?? redaction).target(target))"
  }
}

public import Errand

/// The calls of a stub in a mock.
///
/// References neither the stub nor the mock, to avoid a retain cycle.
final class StubCalls: Sendable {
  private let numbers = Locked<[Int]>([])
  private let journal: any RequestJournal
  private let pattern: RequestPattern

  init(_ journal: any RequestJournal, of pattern: RequestPattern) {
    self.journal = journal
    self.pattern = pattern
  }

  var mock: ObjectIdentifier { ObjectIdentifier(journal) }

  var count: Int { numbers.withLock { $0.count } }

  var requests: [ReceivedRequest] {
    journal.requests(numbered: numbers.withLock { $0 }).map { $0.filled(for: pattern) }
  }

  /// Adds a call and returns the number of earlier calls; returns `nil` at the limit.
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

protocol RequestJournal: AnyObject, Sendable {
  /// Returns the recorded requests with the given numbers; removed requests are left out.
  func requests(numbered numbers: [Int]) -> [ReceivedRequest]
}

extension Stub {
  /// The requests answered by this stub or by a derived stub, in order of arrival at each mock.
  ///
  /// A derived stub is the result of a method such as `times(_:)`.
  public var calls: [ReceivedRequest] { record.requests }

  /// Throws ``UnexpectedCalls`` if the number of `calls` is not `count`.
  ///
  /// Also throws if neither this stub nor a derived stub was added to a mock.
  public func checkCalled(times count: Int, fileID: String = #fileID, line: Int = #line) throws {
    try CallCount(count...count).check(self, fileID: fileID, line: line)
  }

  /// Throws ``UnexpectedCalls`` if the number of `calls` is not in a range, such as `1...`.
  public func checkCalled(
    times counts: some RangeExpression<Int>, fileID: String = #fileID, line: Int = #line
  ) throws {
    try CallCount(counts).check(self, fileID: fileID, line: line)
  }
}

extension CallCount {
  fileprivate func check(_ stub: Stub, fileID: String, line: Int) throws {
    let (calls, problem) = (stub.calls, stub.record.problem)
    guard problem != nil || !contains(calls.count) else { return }
    let count = "answered \(calls.count) request\(calls.count == 1 ? "" : "s"), not \(self)"
    throw UnexpectedCalls(
      problem: "\(stub) \(problem ?? count)",
      calls: calls, lines: calls.map { $0.line(hiding: stub.secrets) }, fileID: fileID, line: line)
  }
}

struct CallCount: Sendable, CustomStringConvertible {
  let lowest: Int
  /// `nil`: no limit.
  let highest: Int?

  init(_ counts: some RangeExpression<Int>) {
    let range = counts.relative(to: AllCounts())
    lowest = max(range.lowerBound, 0)
    highest = range.upperBound == .max ? nil : max(range.upperBound, 0) - 1
  }

  private init(lowest: Int, highest: Int?) {
    self.lowest = lowest
    self.highest = highest
  }

  var optional: CallCount { CallCount(lowest: 0, highest: highest) }

  func contains(_ count: Int) -> Bool { count >= lowest && count <= highest ?? .max }

  var description: String {
    guard let highest else { return "at least \(lowest)" }
    if highest == lowest { return "\(lowest)" }
    return lowest == 0 ? "at most \(highest)" : "\(lowest) to \(highest)"
  }

  /// All counts, because `relative(to:)` needs a collection to resolve an open range.
  private struct AllCounts: Collection {
    var startIndex: Int { .min }
    var endIndex: Int { .max }
    func index(after index: Int) -> Int { index == .max ? .max : index + 1 }
    subscript(index: Int) -> Int { index }
  }
}

/// An error about a wrong number or order of stub calls, a stub outside of the mock, or missing requests.
public struct UnexpectedCalls: Error, Sendable, PrintedByDescription {
  private static let limit = 10

  private let problem: String
  /// The answered or received requests, in order of arrival at each mock.
  public let calls: [ReceivedRequest]
  private let lines: [String]
  /// The module and the file of the throwing call, such as `AppTests/UserTests.swift`.
  public let fileID: String
  /// The line of the throwing call.
  public let line: Int

  init(problem: String, calls: [ReceivedRequest], lines: [String], fileID: String, line: Int) {
    self.problem = problem
    self.calls = calls
    self.lines = lines
    self.fileID = fileID
    self.line = line
  }

  /// The problem, the file, the line, and up to 10 requests, with secrets hidden.
  public var description: String {
    let place = "\(problem) (\(fileID.split(separator: "/").last ?? "?"):\(line))"
    guard !lines.isEmpty else { return place.printed }
    let shown = lines.prefix(Self.limit).enumerated().map { "\n\($0.offset + 1). \($0.element)" }
    let rest = lines.count > Self.limit ? "\nand \(lines.count - Self.limit) more" : ""
    return "\(place):\(shown.joined())\(rest)".printed
  }
}

extension ReceivedRequest {
  func line(hiding secrets: [Secret]) -> String {
    let redaction = Redaction.standard.hiding(secrets: secrets)
    return "\(method) \((sent.map(redaction.hidingCredentials) ?? redaction).target(target))"
  }
}

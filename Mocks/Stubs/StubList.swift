import ErrandJSON
import Errand

/// The stubs of a transport, and how far each one is.
final class StubList: Sendable {
  private let stubs: [Stub]
  // What is looked at for each request, apart: copying a stub would cost more than the look.
  private let patterns: [RequestPattern]
  private let conditions: [[any StubCondition]]
  private let sequences: Locked<[AnswerSequence]>

  init(_ stubs: [Stub]) {
    self.stubs = stubs
    patterns = stubs.map(\.pattern)
    conditions = stubs.map(\.conditions)
    sequences = Locked(stubs.map { AnswerSequence($0.answers, limit: $0.limit) })
  }

  /// The next answer of the first stub that matches and is not spent.
  ///
  /// - Parameter sent: the request as the transport was given it, which knows the secrets of its dispatch.
  func answer(to request: ReceivedRequest, _ sent: HTTPRequest) throws -> MockAnswer {
    let place = request.place
    for index in patterns.indices where patterns[index].matches(request.method, place) {
      guard conditions[index].isEmpty || conditions[index].areMet(by: request) else { continue }
      if let answer = sequences.withLock({ $0[index].next() }) {
        guard let remade = answer.remade, let coding = sent.jsonCoding else { return answer }
        return remade(coding)
      }
    }
    throw unmatched(request, sent)
  }

  /// Those that have not answered, in their order.
  var unused: [Stub] {
    let counts = sequences.withLock { $0.map(\.used) }
    return zip(stubs, counts).filter { $0.1 == 0 }.map(\.0)
  }

  private func unmatched(_ request: ReceivedRequest, _ sent: HTTPRequest) -> TransportError {
    let redaction = NearestStubs.redaction(of: sent, among: stubs)
    let message = NearestStubs.message(
      "stub", request, to: redaction.url(sent.url), among: stubs, hiding: redaction)
    return TransportError(.unmatchedStub, message)
  }
}

/// Answers in order; the last one repeats until so many were given.
struct AnswerSequence: Sendable {
  private let answers: [MockAnswer]
  private let limit: Int
  /// How many were given.
  private(set) var used = 0

  /// Makes a sequence without an end; an empty one answers 200 without a body.
  init(_ answers: [MockAnswer], limit: Int? = nil) {
    self.answers = answers.isEmpty ? [.status(200)] : answers
    self.limit = limit ?? .max
  }

  /// The next answer; `nil` when all were given.
  mutating func next() -> MockAnswer? {
    guard used < limit else { return nil }
    defer { used += 1 }
    return answers[min(used, answers.count - 1)]
  }
}

/// An error about stubs that have answered nothing: the test took another way than it says.
public struct UnusedStubs: Error, Sendable, CustomStringConvertible {
  /// The stubs, in their order.
  public let stubs: [Stub]

  /// Fails when there is one.
  static func check(_ stubs: [Stub]) throws {
    if !stubs.isEmpty { throw UnusedStubs(stubs: stubs) }
  }

  /// Each stub with the file and the line where it was written.
  ///
  /// ```
  /// 2 stubs were never used: GET /users/7 (UserTests.swift:12), POST /users (UserTests.swift:13)
  /// ```
  public var description: String {
    let subject = stubs.count == 1 ? "1 stub was" : "\(stubs.count) stubs were"
    return "\(subject) never used: \(stubs.map(\.description).joined(separator: ", "))"
  }
}

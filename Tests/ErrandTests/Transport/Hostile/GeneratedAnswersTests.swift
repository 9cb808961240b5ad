#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Damaged responses from a fixed seed.
///
/// To run more cases:
///
///     ERRAND_HOSTILE_CASES=200000 swift test --filter GeneratedAnswersTests
@Suite("Generated hostile answers", .timeLimit(.minutes(60)))
struct GeneratedAnswersTests {
  struct Ask: Request {
    typealias Response = Data
    let path: String
    var validators: [any ResponseValidator] { [] }
    let timeout = Duration.seconds(20)
  }

  /// Any other kind is a failure.
  static let kinds: Set<RequestError.Kind> = [
    .connectionLost, .invalidResponse, .corruptBody, .limitExceeded,
  ]

  static let caseCount =
    ProcessInfo.processInfo.environment["ERRAND_HOSTILE_CASES"].flatMap { Int($0) } ?? 2000
  static let laneCount = 4

  @Test(
    "Each response ends once and in time, and the next request on the agent works", arguments: 0..<laneCount)
  func survives(lane: Int) async throws {
    let server = try MockServer()
    server.route(.get, "/good", answers: .text("good"))
    // Generated before the request, so no request waits for the generator.
    let (steps, given) = (Locked<[AnswerStep]>([]), Locked(0))
    server.route(.get, "/hostile/*") { _ in
      given.withLock { $0 += 1 }
      return .raw(steps.withLock { $0 })
    }
    let (began, ended) = (Locked(0), Locked(0))
    let counting = EventAccessory(
      willStart: { _ in began.withLock { $0 += 1 } }, didStop: { _, _ in ended.withLock { $0 += 1 } })
    let agent = RequestAgent(
      baseURL: server.baseURL, transport: CurlTransport(), accessories: [counting])
    var problems: [String] = []
    var tally: [String: Int] = [:]
    var count = 0
    for number in stride(from: lane, to: Self.caseCount, by: Self.laneCount) {
      let answer = HostileAnswer(number)
      steps.withLock { $0 = answer.steps }
      let ask = Ask(path: "hostile/\(number)")
      var (word, isSlow) = await Self.timed(ask, on: agent)
      count += 1
      // A busy machine may be slow once. The second run of a case that hangs is slow again.
      if isSlow {
        (word, isSlow) = await Self.timed(ask, on: agent)
        count += 1
      }
      if isSlow { problems.append("case \(number) took too long") }
      if !Self.isExpected(word) { problems.append("case \(number): \(word)") }
      tally[String(word.prefix { $0 != ":" }), default: 0] += 1
      // Bytes that arrive later would be read as the next response.
      await server.waitForClosedConnections(given.withLock { $0 })
      let next = await Self.outcome(of: Ask(path: "good"), on: agent)
      if next != "success: good" { problems.append("after case \(number): \(next)") }
      count += 1
    }
    #expect(problems == [])
    #expect(began.withLock { $0 } == count)
    #expect(ended.withLock { $0 } == count)
    #expect(agent.liveCount == 0)
    #expect(tally["success", default: 0] < count / 2)
  }

  @Test("Equal numbers make equal responses, and different numbers make different responses")
  func deterministic() {
    let first = (0..<200).map { HostileAnswer($0).bytes }
    #expect(first == (0..<200).map { HostileAnswer($0).bytes })
    #expect(Set(first).count > 180)
  }

  private static func isExpected(_ word: String) -> Bool {
    word.hasPrefix("success") || kinds.contains { word.hasPrefix("\($0):") }
  }

  /// Returns the outcome, and whether the request timed out or took more than 30 s.
  private static func timed(_ request: Ask, on agent: RequestAgent) async -> (word: String, isSlow: Bool) {
    let start = ContinuousClock.now
    let word = await outcome(of: request, on: agent)
    return (word, ContinuousClock.now - start > .seconds(30) || word.hasPrefix("timedOut"))
  }

  private static func outcome(of request: Ask, on agent: RequestAgent) async -> String {
    do {
      return "success: \(String(decoding: try await agent.send(request), as: UTF8.self))"
    } catch let error as RequestError {
      return "\(error.kind): \(error.reason)"
    } catch {
      return "\(error)"
    }
  }
}
#endif

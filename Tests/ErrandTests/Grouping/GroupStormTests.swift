import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Storms of cancellations over groups", .timeLimit(.minutes(5)))
struct GroupStormTests {
  static let groups = 120

  @Test(
    "Each group and each member has exactly one outcome under random cancellations",
    arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
  func storm(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let storm = GroupStorm(groups: Self.groups)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    let agent = RequestAgent.mocked(
      by: MockTransport { try await storm.answer($0) }, accessories: [storm], configuration: configuration)
    let plans = (0..<Self.groups).map { GroupStorm.Plan($0, storm, &random) }
    storm.after(2_500) { agent.cancelAll() }
    let handles = plans.map { $0.start(agent, storm) }
    for (plan, handle) in zip(plans, handles) {
      _ = try? await handle.value
      check(plan, handle, storm)
    }
    #expect(agent.liveCount == 0 && agent.groups.count == 0)
    let words = Set(handles.compactMap { $0.outcome?.word })
    #expect(words.isSuperset(of: ["success", "cancelled"]))
  }

  private func check(_ plan: GroupStorm.Plan, _ handle: GroupHandle<Void>, _ storm: GroupStorm) {
    let name = "group\(plan.index)"
    let word = handle.outcome?.word ?? "none"
    for event in ["start", "stop", "end", "end \(word)", "told \(word)"] {
      #expect(storm.count("\(name) \(event)") == 1, "\(name) \(event)")
    }
    let members = handle.report?.members ?? []
    #expect(storm.count("\(name) member") == members.filter(\.wasSent).count)
    for member in members {
      let path = member.request.path
      let outcome = member.outcome.word
      for event in ["start", "stop", "end", "end \(outcome)", "told"] {
        #expect(storm.count("\(path) \(event)") == (member.wasSent ? 1 : 0), "\(path) \(event)")
      }
      #expect(member.wasSent == (member.exchange != nil) && (member.wasSent || outcome == "cancelled"))
    }
    // Members outside of the report were neither announced nor sent.
    for member in plan.members.dropFirst(members.count) { #expect(storm.count("\(member.path) start") == 0) }
  }
}

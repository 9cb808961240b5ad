import Dispatch
import ErrandMocks

@testable import Errand

/// Random groups with random members, cancelled at random events.
final class GroupStorm: Accessory, GroupAccessory {
  struct Plan: Sendable {
    let index: Int
    let kind: Int
    let members: [StormMember]
    let width: Int
    let stopsOnFailure: Bool
    /// `nil` for no cancellation.
    let cancellation: Int?
  }

  private struct State {
    var counts: [String: Int] = [:]
    var events = 0
    var actions: [Int: [@Sendable () -> Void]] = [:]
  }

  private let state = Locked(State())
  private let cancels: [OneTime<@Sendable () -> Void>]

  init(groups: Int) { cancels = (0..<groups).map { _ in OneTime() } }

  func count(_ event: String) -> Int { state.withLock { $0.counts[event] ?? 0 } }

  func add(_ event: String) {
    let actions = state.withLock { state in
      state.counts[event, default: 0] += 1
      state.events += 1
      return state.actions.removeValue(forKey: state.events) ?? []
    }
    for action in actions { DispatchQueue.global().async { action() } }
  }

  /// On a global queue.
  func after(_ events: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.actions[$0.events + events + 1, default: []].append(action) }
  }

  func setCancel(of group: Int, _ cancel: @escaping @Sendable () -> Void) { cancels[group].set(cancel) }

  /// By the word in the path.
  ///
  /// A group with a hanging member is cancelled.
  func answer(_ request: ReceivedRequest) async throws -> MockAnswer {
    let words = request.path.dropFirst().split(separator: "-")
    switch words[0] {
    case "ok": return .text("ok")
    case "lost": return .fault(.reset)
    case "missing": return .status(404)
    default:
      let cancel = try await cancels[Int(words[1]) ?? 0].wait()
      DispatchQueue.global().async { cancel() }
      _ = try await OneTime<Bool>().wait()
      return .text("never")
    }
  }

  func requestWillStart(_ context: RequestContext) async { add("\(context.comment ?? "") start") }
  func requestWillStop(_ context: RequestContext) async { add("\(context.comment ?? "") stop") }
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    add("\(context.comment ?? "") end \(report.outcome.word)")
    add("\(context.comment ?? "") end")
  }

  func groupWillStart(_ context: GroupContext) async { add("\(context.comment ?? "") start") }
  func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async {
    add("\(context.comment ?? "") member")
  }
  func groupWillStop(_ context: GroupContext) async { add("\(context.comment ?? "") stop") }
  func groupDidStop(_ report: GroupReport, context: GroupContext) async {
    add("\(context.comment ?? "") end \(report.outcome.word)")
    add("\(context.comment ?? "") end")
  }
}

struct StormMember: Request {
  typealias Response = String
  let path: String
  var comment: String? { path }
  var storm: GroupStorm?

  func completed(_ outcome: Outcome<String>, context: RequestContext) async { storm?.add("\(path) told") }
}

extension GroupStorm.Plan {
  init(_ index: Int, _ storm: GroupStorm, _ random: inout SeededGenerator) {
    self.index = index
    kind = random.below(4)
    let hangs = random.below(3) == 0
    members = (0..<random.below(7)).map { [index] member in
      let word = random.pick(
        hangs ? ["ok", "ok", "missing", "hang"] : ["ok", "ok", "ok", "lost", "missing"])
      return StormMember(path: "\(word)-\(index)-\(member)", storm: storm)
    }
    width = 1 + random.below(4)
    stopsOnFailure = random.below(2) == 0
    cancellation = random.below(3) == 0 ? nil : random.below(400)
  }

  func start(_ agent: RequestAgent, _ storm: GroupStorm) -> GroupHandle<Void> {
    let name = "group\(index)"
    let (members, width, stops) = (members, width, stopsOnFailure)
    var group = ChainRequest<Void> { run in
      for member in members { _ = await run.outcome(of: member) }
    }
    switch kind {
    case 0: group = ChainRequest { run in try await list(members, stops).results(in: run) }
    case 1:
      group = ChainRequest { run in
        var batch = UniformBatch(members, width: width)
        batch.stopsOnFailure = stops
        _ = try await batch.results(in: run)
      }
    case 2:
      group = ChainRequest { run in
        _ = try await UniformBatch(members, width: width).outcomes.results(in: run)
      }
    default: break
    }
    group.comment = name
    group.interval = .milliseconds(1)
    let handle = agent.start(group, on: .global()) { storm.add("\(name) told \($0.word)") }
    storm.setCancel(of: index) { handle.cancel() }
    if let cancellation { storm.after(cancellation) { handle.cancel() } }
    return handle
  }
}

private func list(_ members: [StormMember], _ stopsOnFailure: Bool) -> ChainRequest<Void> {
  let list = ChainRequest(members, stopsOnFailure: stopsOnFailure) { _, _ in await Task.yield() }
  return ChainRequest { run in _ = try await list.results(in: run) }
}

/// A handle of a started group, for cancellation, progress and results.
///
/// The group continues if the handle is released.
public final class GroupHandle<Results: Sendable>: Sendable {
  let end = OneTime<EndedGroup<Results>>()
  let core: GroupCore

  init(_ core: GroupCore) { self.core = core }

  static func begin<G: RequestGroup>(
    _ group: G, by agent: RequestAgent, completion: (@Sendable (Outcome<G.Results>) async -> Void)?
  ) -> GroupHandle<G.Results> where G.Results == Results {
    let core = GroupCore(group, agent: agent, entry: agent.groups.enter())
    let handle = GroupHandle(core)
    let end = handle.end
    Task {
      end.set(await core.run(group, completion: completion))
      // The progress ends after `end` is set, so that a reader then finds the outcome and the report.
      core.ledger.changes.end()
    }
    return handle
  }

  /// Cancels the group and its members; has no effect after the final outcome.
  public func cancel() { core.entry.signal.cancel() }

  /// The updates of the progress, beginning with the current progress.
  public var progress: Updates<GroupReport.Progress> { core.ledger.changingProgress.updates }

  /// The outcome of the group; `nil` before the end, and in the completion handler.
  public var outcome: Outcome<Results>? { end.value?.outcome }

  /// The report of the group; `nil` before the end, and in the completion handler.
  public var report: GroupReport? { end.value?.report }

  /// Waits for the results.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the task is cancelled while waiting.
  public var value: Results {
    get async throws {
      let ended = try await end.wait()
      switch ended.outcome {
      case .success(let results): return results
      case .failure(let error): throw error
      case .cancelled: throw ended.cancelledError
      }
    }
  }
}

struct EndedGroup<Results: Sendable>: Sendable {
  let outcome: Outcome<Results>
  let report: GroupReport
  let cancelledError: RequestError
}

extension GroupContext: PrintedByDescription {
  /// The number of the run, the type of the group, and the progress.
  public var description: String {
    "group \(id), \(type(of: group)), \(progress.completed) of \(progress.total)"
  }
}

extension GroupHandle: PrintedByDescription {
  /// The text of the group's context.
  public var description: String { core.context.description }
}

extension GroupRun: PrintedByDescription {
  /// The text of the group's context.
  public var description: String { core.context.description }
}

/// The group type of ``BatchRequest/outcomes`` and ``UniformBatch/outcomes``.
public struct GroupOutcomes<Results: Sendable>: RequestGroup {
  /// The accessories of the group.
  public var accessories: [any GroupAccessory] = []
  /// A comment for logs.
  public var comment: String?
  let body: @Sendable (GroupRun) async throws -> Results

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> Results { try await body(run) }
}

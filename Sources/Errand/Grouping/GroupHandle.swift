/// A group that was started: cancels it, tells its progress, gives its results.
///
/// The group does not need the handle: drop it, and the group goes on.
public final class GroupHandle<Results: Sendable>: Sendable {
  let end = OneTime<EndedGroup<Results>>()
  let core: GroupCore

  init(_ core: GroupCore) { self.core = core }

  /// Starts a group in a task of its own, which keeps the agent alive.
  static func begin<G: RequestGroup>(
    _ group: G, by agent: RequestAgent, completion: (@Sendable (Outcome<G.Results>) async -> Void)?
  ) -> GroupHandle<G.Results> where G.Results == Results {
    let core = GroupCore(group, agent: agent, entry: agent.groups.enter())
    let handle = GroupHandle(core)
    let end = handle.end
    Task {
      end.set(await core.run(group, completion: completion))
      // Who follows the progress to its end finds outcome and report.
      core.ledger.changes.end()
    }
    return handle
  }

  /// Cancels the group: members that run end as cancelled, those whose turn has not come are not sent, and the outcome of
  /// the group is `.cancelled`.
  ///
  /// Does nothing once the outcome is fixed.
  public func cancel() { core.entry.signal.cancel() }

  /// How far the group is, as it changes: first what it is now, at last what it was at the end.
  public var progress: Updates<GroupProgress> { core.ledger.updates }

  /// How the group ended; `nil` while it runs, and in its last events.
  public var outcome: Outcome<Results>? { end.value?.outcome }

  /// The account of the group; `nil` while it runs.
  public var report: GroupReport? { end.value?.report }

  /// Waits for the results; any number of tasks may.
  ///
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/cancelled`` when the group was cancelled;
  ///   `CancellationError` when the waiting task was: that ends the wait only, not the group.
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

/// What a run of a group leaves behind.
struct EndedGroup<Results: Sendable>: Sendable {
  let outcome: Outcome<Results>
  let report: GroupReport
  /// What is thrown to who waits, when it was cancelled.
  let cancelledError: RequestError
}

extension GroupContext: PrintedByDescription {
  /// The number of the run, the type of the group, and its progress; no value of a request.
  public var description: String {
    "group \(id), \(type(of: group)), \(progress.completed) of \(progress.total)"
  }
}

extension GroupHandle: PrintedByDescription {
  /// The number of the run, the type of the group, and its progress; no value of a request.
  public var description: String { core.context.description }
}

extension GroupRun: PrintedByDescription {
  /// The number of the run, the type of the group, and its progress; no value of a request.
  public var description: String { core.context.description }
}

/// A batch that waits for every member and gives every outcome; made by ``BatchRequest/outcomes`` and
/// ``UniformBatch/outcomes``.
///
/// No failure of a member is its own.
public struct GroupOutcomes<Results: Sendable>: RequestGroup {
  /// Watch this group; those of the batch it was made of.
  public var accessories: [any GroupAccessory] = []
  /// Shown in logs; that of the batch it was made of.
  public var comment: String?
  let body: @Sendable (GroupRun) async throws -> Results

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> Results { try await body(run) }
}

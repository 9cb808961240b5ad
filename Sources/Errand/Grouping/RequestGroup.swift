public import Dispatch

/// Requests that are one thing to their caller: one outcome, one handle, one progress.
///
/// ``BatchRequest``, ``UniformBatch`` and ``ChainRequest`` are groups; ``RequestAgent/send(_:)-(G)`` and ``RequestAgent/start(_:completion:)``
/// take any. A group is a value: each call runs it anew, and two runs know nothing of each other. A group of your own sends its members by the
/// ``GroupRun`` it is given.
public protocol RequestGroup<Results>: Sendable {
  /// What the group gives when it succeeds.
  associatedtype Results: Sendable

  /// Watch this group, after those of the agent's accessories that are group accessories too; empty by default.
  var accessories: [any GroupAccessory] { get }

  /// Shown in logs; `nil` by default.
  var comment: String? { get }

  /// Sends the members and makes the results of theirs.
  ///
  /// Called once a run, off the main actor. What it throws is the failure of the group; `CancellationError` its cancellation. Members that
  /// still run when it returns are cancelled.
  func results(in run: GroupRun) async throws -> Results
}

extension RequestGroup {
  /// Empty.
  public var accessories: [any GroupAccessory] { [] }
  /// `nil`.
  public var comment: String? { nil }
}

// The overloads for groups are disfavored: for the compiler a wrong argument is one of a request, which it is nearly always.
extension RequestAgent {
  /// Runs a group and returns its results.
  ///
  /// - Throws: ``RequestError``, which names the member in ``RequestError/group``; `CancellationError` when the calling task was cancelled.
  ///   Either way every member has ended before.
  @discardableResult @_disfavoredOverload
  public func send<G: RequestGroup>(_ group: G) async throws -> G.Results {
    let core = GroupCore(group, agent: self, entry: groups.enter())
    let ended = await withTaskCancellationHandler {
      await core.run(group, completion: nil)
    } onCancel: {
      core.entry.signal.cancel(by: .task)
    }
    core.ledger.changes.end()
    switch ended.outcome {
    case .success(let results): return results
    case .failure(let error): throw error
    case .cancelled: throw core.entry.signal.source == .task ? CancellationError() : ended.cancelledError
    }
  }

  /// Starts a group and returns at once; the completion runs on the main actor, exactly once.
  ///
  /// The agent keeps the group alive: the handle may be dropped.
  @discardableResult @_disfavoredOverload
  public func start<G: RequestGroup>(
    _ group: G, completion: (@MainActor @Sendable (Outcome<G.Results>) -> Void)? = nil
  ) -> GroupHandle<G.Results> {
    guard let completion else { return .begin(group, by: self, completion: nil) }
    return .begin(group, by: self) { outcome in await completion(outcome) }
  }

  /// Starts a group and returns at once; the completion runs on `queue`, exactly once.
  @discardableResult @_disfavoredOverload
  public func start<G: RequestGroup>(
    _ group: G, on queue: DispatchQueue, completion: @escaping @Sendable (Outcome<G.Results>) -> Void
  ) -> GroupHandle<G.Results> {
    .begin(group, by: self) { outcome in await queue.perform { completion(outcome) } }
  }
}

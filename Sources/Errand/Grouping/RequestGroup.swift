public import Dispatch

/// A group of requests with a common outcome, handle and progress.
///
/// A custom group sends its members through the ``GroupRun`` passed to ``results(in:)``.
public protocol RequestGroup<Results>: Sendable {
  /// The type of the results.
  associatedtype Results: Sendable

  /// The accessories of the group; empty by default.
  var accessories: [any GroupAccessory] { get }

  /// A comment for logs; `nil` by default.
  var comment: String? { get }

  /// Sends the members, and returns the results.
  ///
  /// A thrown `CancellationError` cancels the group. When the function returns or throws, members that still
  /// run are cancelled.
  func results(in run: GroupRun) async throws -> Results
}

extension RequestGroup {
  /// Empty.
  public var accessories: [any GroupAccessory] { [] }
  /// `nil`.
  public var comment: String? { nil }
}

// Disfavored, so that the compiler's error about a wrong argument refers to the overload for requests.
extension RequestAgent {
  /// Runs a group and returns the results.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task was cancelled.
  @discardableResult @_disfavoredOverload
  public func send<G: RequestGroup>(_ group: G) async throws -> G.Results {
    try await GroupCore(group, agent: self, entry: groups.enter()).results(of: group)
  }

  /// Starts a group; the completion runs on the main actor.
  ///
  /// The group continues if the handle is released.
  @discardableResult @_disfavoredOverload
  public func start<G: RequestGroup>(
    _ group: G, completion: (@MainActor @Sendable (Outcome<G.Results>) -> Void)? = nil
  ) -> GroupHandle<G.Results> {
    guard let completion else { return .begin(group, by: self, completion: nil) }
    return .begin(group, by: self) { outcome in await completion(outcome) }
  }

  /// Starts a group; the completion runs on `queue`.
  @discardableResult @_disfavoredOverload
  public func start<G: RequestGroup>(
    _ group: G, on queue: DispatchQueue, completion: @escaping @Sendable (Outcome<G.Results>) -> Void
  ) -> GroupHandle<G.Results> {
    .begin(group, by: self) { outcome in await queue.perform { completion(outcome) } }
  }
}

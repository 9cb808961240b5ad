public import Foundation

/// A snapshot of a dispatch in flight, from ``RequestAgent/dispatches``.
///
/// ```swift
/// for dispatch in agent.dispatches where dispatch.state == .retrying { dispatch.cancel() }
/// ```
public struct LiveDispatch: Sendable, Identifiable {
  /// The activity of a dispatch.
  public enum State: Sendable, Hashable {
    /// The dispatch waits in ``Stage/serialGate``, ``Stage/throttle`` or ``Stage/hostSlot``.
    case waiting(Stage)
    /// The dispatch is at work, for example with an attempt or hooks.
    case running
    /// The dispatch waits before the next attempt.
    case retrying
    /// The caller has the response head of a stream.
    case streaming
    /// The caller has suspended the dispatch.
    case suspended
    /// The dispatch is cancelled, but has not ended.
    case cancelling
  }

  let context: RequestContext
  /// The state of the dispatch at the time of the snapshot.
  public let state: State
  /// The start of the dispatch, by the agent's clock; if the dispatch has not started, the time of the
  /// snapshot.
  public let started: Date
  /// The duration of the dispatch up to the snapshot, by the agent's clock.
  public let elapsed: Duration
  /// The failed attempts so far, as in ``ExchangeReport/attempts``; the last failed attempt may be missing.
  public let attempts: [AttemptReport]
  private let line: (method: HTTPMethod, url: URL)?
  private let cancellation: CancellationSignal

  init(
    _ context: RequestContext, facts: InFlight.Facts, suspension: SuspensionSignal?, started: Date,
    elapsed: Duration
  ) {
    self.context = context
    cancellation = facts.signal
    line = context.dispatched.lastRequestLine
    attempts = facts.progress?.attempts ?? []
    (self.started, self.elapsed) = (started, elapsed)
    state =
      facts.signal.isCancelled
      ? .cancelling : suspension?.isSuspended == true ? .suspended : facts.progress?.state ?? .running
  }

  /// The number of the dispatch within its agent, equal to ``ExchangeReport/id``.
  public var id: UInt64 { context.id }
  /// The request, without overrides.
  public var request: any Request { context.request }
  /// The request's ``Request/tag``.
  public var tag: Int { context.tag }
  /// The request's ``Request/userInfo``.
  public var userInfo: [String: any Sendable] { context.userInfo }
  /// The request's ``Request/comment``.
  public var comment: String? { context.comment }
  /// The URL of the last request; `nil` before the end of the first ``Stage/filterRequest``.
  public var url: URL? { line?.url }

  /// Cancels the dispatch, like ``RequestHandle/cancel()``.
  public func cancel() { cancellation.cancel(by: .handle) }
}

extension LiveDispatch: PrintedByDescription {
  /// A line about the dispatch, after redaction.
  ///
  /// ```
  /// dispatch 7: GetUser, retrying after 1 attempt, 1.324 s: GET https://api.example.com/users/7
  /// ```
  public var description: String {
    let redaction = context.redaction
    var text = "dispatch \(id): \(type(of: request)), \(state)"
    if !attempts.isEmpty { text += " after \(attempts.count) attempt\(attempts.count == 1 ? "" : "s")" }
    text += ", \(elapsed.seconds)"
    if let line { text += ": \(line.method) \(redaction.url(line.url))" }
    if let comment { text += " (\(redaction.hidingValues(comment)))" }
    return text.printed
  }
}

extension LiveDispatch.State: CustomStringConvertible {
  /// A text such as `running`, or `waiting at hostSlot`.
  public var description: String {
    switch self {
    case .waiting(let stage): "waiting at \(stage)"
    case .running: "running"
    case .retrying: "retrying"
    case .streaming: "streaming"
    case .suspended: "suspended"
    case .cancelling: "cancelling"
    }
  }
}

protocol LiveSource: AnyObject, Sendable {
  /// Returns a snapshot of the dispatch.
  ///
  /// Must be called without a lock, because the method may read the app's request.
  func live(_ facts: InFlight.Facts) -> LiveDispatch
}

extension Dispatch: LiveSource {
  func live(_ facts: InFlight.Facts) -> LiveDispatch {
    LiveDispatch(
      context, facts: facts, suspension: time.suspension,
      started: time.clock.epoch.addingTimeInterval(time.started / .seconds(1)),
      elapsed: time.now - time.started)
  }
}

/// A started request before its task creates the dispatch.
final class StartingDispatch<R: Request>: LiveSource {
  let entry: InFlight.Entry
  let suspension = SuspensionSignal()
  private let request: R
  private let agent: RequestAgent

  init(_ request: R, by agent: RequestAgent, isSuspended: Bool) {
    (self.request, self.agent) = (request, agent)
    entry = agent.inFlight.enterDispatch()
    if isSuspended { suspension.suspend() }
    agent.inFlight.attach(self, to: entry)
  }

  /// Creates the dispatch; must run off the main actor.
  func dispatch(meter: TransferMeter) -> Dispatch<R> {
    Dispatch(request, agent: agent, entry: entry, suspension: suspension, meter: meter)
  }

  func live(_ facts: InFlight.Facts) -> LiveDispatch {
    let dispatched = RequestContext.Dispatched(id: entry.id, request: request, tools: agent.tools)
    return LiveDispatch(
      RequestContext(dispatched: dispatched, attempt: 0), facts: facts, suspension: suspension,
      started: agent.clock.date,
      elapsed: .zero)
  }
}

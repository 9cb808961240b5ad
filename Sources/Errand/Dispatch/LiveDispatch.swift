public import Foundation

/// A dispatch that has begun and not ended: one of ``RequestAgent/dispatches``, as it was when they were asked for.
///
/// ```swift
/// for dispatch in agent.dispatches where dispatch.state == .retrying { dispatch.cancel() }
/// ```
///
/// It does not change; ask for the list again to see how far the dispatch is. Printing it hides secrets; see ``Redaction``.
public struct LiveDispatch: Sendable, Identifiable {
  /// How far a dispatch is.
  public enum State: Sendable, Hashable {
    /// It waits: for its turn at ``Stage/serialGate``, for its rate limit at ``Stage/throttle``, for a slot at
    /// ``Stage/hostSlot``.
    case waiting(Stage)
    /// An attempt is under way, or hooks have its outcome.
    case running
    /// It waits before another attempt.
    case retrying
    /// The head of a stream was handed out, and its body is read.
    case streaming
    /// It was asked to rest.
    case suspended
    /// It was cancelled, and ends as soon as whatever it waits for has heard of it.
    case cancelling
  }

  /// What hooks are told of it.
  let context: RequestContext
  /// How far it is.
  public let state: State
  /// When it began, by the agent's clock.
  public let started: Date
  /// How long it took so far, by the agent's clock.
  public let elapsed: Duration
  /// The attempts that were followed by another one, as its ``ExchangeReport/attempts`` will have them.
  public let attempts: [AttemptReport]
  /// The method and the URL that were sent last, or are about to be.
  private let line: (method: HTTPMethod, url: URL)?
  private let cancellation: CancellationSignal

  init(
    _ context: RequestContext, facts: InFlight.Facts, suspension: SuspensionSignal?, started: Date,
    elapsed: Duration
  ) {
    self.context = context
    cancellation = facts.signal
    line = context.dispatched.line
    attempts = facts.notes?.attempts ?? []
    (self.started, self.elapsed) = (started, elapsed)
    state =
      facts.signal.isCancelled
      ? .cancelling : suspension?.isSuspended == true ? .suspended : facts.notes?.state ?? .running
  }

  /// The number of the dispatch in its agent, as ``ExchangeReport/id`` has it.
  public var id: UInt64 { context.id }
  /// The request as the caller wrote it.
  public var request: any Request { context.request }
  /// The request's ``Request/tag``.
  public var tag: Int { context.tag }
  /// The request's ``Request/userInfo``.
  public var userInfo: [String: any Sendable] { context.userInfo }
  /// The request's ``Request/comment``.
  public var comment: String? { context.comment }
  /// Where it was sent last, or is about to be; `nil` before it was built.
  public var url: URL? { line?.url }

  /// Cancels the dispatch, as ``RequestHandle/cancel()`` does: whoever waits for it gets ``RequestError/Kind/cancelled``.
  ///
  /// Does nothing once it has ended.
  public func cancel() { cancellation.cancel(by: .handle) }
}

extension LiveDispatch: PrintedByDescription {
  /// Such as `dispatch 7: GetUser, retrying after 1 attempt, 1.324 s: GET https://api.example.com/users/7`, secrets hidden.
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
  /// Such as `running`, or `waiting at hostSlot`.
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

/// What the table of dispatches asks for one of them.
protocol LiveSource: AnyObject, Sendable {
  /// As it is now; asked under no lock, as it reads the request.
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

/// A request that was started, until the task of its dispatch has begun.
final class StartingDispatch<R: Request>: LiveSource {
  let entry: InFlight.Entry
  let suspension = SuspensionSignal()
  private let request: R
  private let agent: RequestAgent

  /// Enters the dispatch, so that ``RequestAgent/dispatches`` has the dispatch before its task runs.
  ///
  /// - Parameter isSuspended: whether the dispatch begins suspended.
  init(_ request: R, by agent: RequestAgent, isSuspended: Bool) {
    (self.request, self.agent) = (request, agent)
    entry = agent.inFlight.enterDispatch()
    if isSuspended { suspension.suspend() }
    agent.inFlight.attach(self, to: entry)
  }

  /// Makes the dispatch, which takes the place of this value in the table of dispatches.
  ///
  /// Reads the request, so it must not run on the main actor.
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

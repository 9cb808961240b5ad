/// Watches dispatches: logs, counts, shows a spinner.
///
/// It gets values, returns nothing and cannot throw.
///
/// The agent's accessories run before the request's, each list in its order, and each call is awaited before the
/// dispatch goes on, so be quick. `requestWillStart`, `requestWillStop` and `requestDidStop` come once per dispatch
/// in every outcome, `attemptWillStart` and `attemptDidStop` once per attempt, and between those two `transferDidProgress` as often as it
/// may. Every method has an empty default.
/// A `@MainActor` class may conform; its methods then run on the main actor.
///
/// ## Choose between an accessory and a hook
///
/// An accessory changes nothing. To change a request, a response or an outcome, write ``RequestHooks``.
public protocol Accessory: Sendable {
  /// The dispatch begins; nothing of it has run.
  func requestWillStart(_ context: RequestContext) async

  /// An attempt begins; its number is in the context.
  func attemptWillStart(_ context: RequestContext) async

  /// The request is built and goes to the transport; not called for an attempt that failed before, or that a cache answers.
  ///
  /// Called again for each redirect that is followed, with the request that follows. A transfer that is shared is told by each dispatch that waits for it. A question
  /// whether a stored response still holds has its conditions in it. What a mock of the request, or a `data:` URL, gives in the transport's place is told too.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async

  /// More of a body was sent or received.
  ///
  /// The transfer does not wait for this call: what moves meanwhile is told by the next one. Only the end of the attempt waits, so that the
  /// last progress comes before ``attemptDidStop(_:context:)``; an attempt that moved no body has none. A whole body that came with its
  /// head is told once.
  func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async

  /// The attempt ended, and it is decided whether another follows.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async

  /// The outcome is near, but a hook may still change it.
  func requestWillStop(_ context: RequestContext) async

  /// The last event: the outcome and the account of the dispatch. Nothing runs after it.
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async
}

extension Accessory {
  /// Does nothing.
  public func requestWillStart(_ context: RequestContext) async {}
  /// Does nothing.
  public func attemptWillStart(_ context: RequestContext) async {}
  /// Does nothing.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {}
  /// Does nothing.
  public func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async {}
  /// Does nothing.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {}
  /// Does nothing.
  public func requestWillStop(_ context: RequestContext) async {}
  /// Does nothing.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {}
}

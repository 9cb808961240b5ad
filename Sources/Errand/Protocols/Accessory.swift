/// An observer of dispatches, such as a log, a counter or a spinner.
///
/// The agent's accessories run before the request's accessories, each list in order. The dispatch awaits the
/// calls, so be quick. Every method has an empty default. The methods of a `@MainActor` class run on the main
/// actor.
///
/// ## Choose between an accessory and a hook
///
/// An accessory cannot change requests, responses or outcomes. Use ``RequestHooks`` for changes.
///
/// ```swift
/// struct SlowRequests: Accessory {
///   func requestDidStop(_ report: ExchangeReport, context: RequestContext) {
///     if report.elapsed > .seconds(2) { print(report) }
///   }
/// }
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [SlowRequests()])
/// ```
public protocol Accessory: Sendable {
  /// The dispatch starts; called once in a dispatch, before its first stage.
  func requestWillStart(_ context: RequestContext) async

  /// An attempt starts; ``RequestContext/attempt`` has its number, from 1.
  func attemptWillStart(_ context: RequestContext) async

  /// The request is about to go to the transport.
  ///
  /// Called for each request of the attempt, usually also if a ``MockPolicy/always`` mock, a `data:` URL or
  /// another dispatch's transfer gives the response. Not called if the cache responds without the server, or
  /// for a ``MockPolicy/whenFailed`` mock.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async

  /// The progress of the transfer changed.
  ///
  /// The transfer does not wait for the call. Changes during a call are reported together, by a later call.
  /// The last call ends before ``attemptDidStop(_:context:)``.
  func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async

  /// The attempt ended; for a failure, the retry decision was made.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async

  /// The dispatch has an outcome, which a `filter` hook may still change.
  func requestWillStop(_ context: RequestContext) async

  /// The dispatch ended with the outcome in `report`; no hook runs afterwards.
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async
}

extension Accessory {
  /// Has no effect.
  public func requestWillStart(_ context: RequestContext) async {}
  /// Has no effect.
  public func attemptWillStart(_ context: RequestContext) async {}
  /// Has no effect.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {}
  /// Has no effect.
  public func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async {}
  /// Has no effect.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {}
  /// Has no effect.
  public func requestWillStop(_ context: RequestContext) async {}
  /// Has no effect.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {}
}

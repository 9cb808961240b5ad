/// An observer of dispatches, such as a log, a counter or a spinner.
///
/// An accessory receives values, returns no value and cannot throw.
///
/// The agent's accessories run before the request's accessories, each list in order. The dispatch awaits each
/// call except ``transferDidProgress(_:context:)``, so be quick. `requestWillStart`, `requestWillStop` and
/// `requestDidStop` are called once in a dispatch, whatever the outcome. `attemptWillStart` and
/// `attemptDidStop` are called once in an attempt. Every method has an empty default. The methods of a
/// `@MainActor` class run on the main actor.
///
/// ## Choose between an accessory and a hook
///
/// An accessory cannot change requests, responses or outcomes. Use ``RequestHooks`` for changes.
public protocol Accessory: Sendable {
  /// The dispatch starts, before its first stage.
  func requestWillStart(_ context: RequestContext) async

  /// An attempt starts; ``RequestContext/attempt`` has its number, from 1.
  func attemptWillStart(_ context: RequestContext) async

  /// The request goes to the transport.
  ///
  /// Called again for each followed redirect, with the next request. With a shared transfer, each waiting
  /// dispatch calls the method. A revalidation has `If-None-Match` or another condition in the request. The
  /// method is also called before a ``MockPolicy/always`` mock or a `data:` URL answers.
  ///
  /// Not called if the attempt failed earlier, if the cache answers without the server, or for a
  /// ``MockPolicy/whenFailed`` mock.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async

  /// More bytes of a body were sent or received.
  ///
  /// The transfer does not wait for the call. Progress during a call is reported afterwards, in a single call
  /// with the newest count. The last call ends before ``attemptDidStop(_:context:)``. An attempt without
  /// bytes of a body has no call. A body that arrives complete with its head causes a single call.
  func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async

  /// The attempt ended, and the retry decision was made.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async

  /// The dispatch has an outcome; a `filter` hook may still change the outcome.
  func requestWillStop(_ context: RequestContext) async

  /// The dispatch ended with the outcome in `report`; no hook of the dispatch runs afterwards.
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

/// An observer of dispatches: a log, a counter, a spinner.
///
/// An accessory receives values, returns nothing and cannot throw.
///
/// The agent's accessories run before the request's accessories, each list in order. The dispatch awaits
/// each call, so be quick. `requestWillStart`, `requestWillStop` and `requestDidStop` are called once in a
/// dispatch, in every outcome. `attemptWillStart` and `attemptDidStop` are called once in an attempt, and
/// `transferDidProgress` any number of times between the two. Every method has an empty default. The
/// methods of a `@MainActor` class run on the main actor.
///
/// ## Choose between an accessory and a hook
///
/// An accessory changes nothing. To change a request, a response or an outcome, write ``RequestHooks``.
public protocol Accessory: Sendable {
  /// The start of a dispatch, before any other step.
  func requestWillStart(_ context: RequestContext) async

  /// The start of an attempt; the context has the number.
  func attemptWillStart(_ context: RequestContext) async

  /// The request goes to the transport.
  ///
  /// Not called for an attempt that failed earlier, or that a cache answers. Called again for each followed
  /// redirect, with the next request. With a shared transfer, each waiting dispatch calls the method. A
  /// revalidation has its conditions in the request. The method is also called before a mock of the request
  /// or a `data:` URL answers.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async

  /// More bytes of a body were sent or received.
  ///
  /// The transfer never waits for the call; the next call has the newest count. Only the end of the attempt
  /// waits, so the last progress comes before ``attemptDidStop(_:context:)``. An attempt without a body has
  /// no progress. A complete body received with its head causes a single call.
  func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async

  /// The end of an attempt, after the retry decision.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async

  /// The dispatch has an outcome, which a `filter` hook may still change.
  func requestWillStop(_ context: RequestContext) async

  /// The last event, with the outcome and the report of the dispatch. Nothing runs afterwards.
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

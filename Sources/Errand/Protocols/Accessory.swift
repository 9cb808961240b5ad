public import Foundation

/// An observer of dispatches, such as a log, a counter or a spinner.
///
/// A slow accessory may delay the dispatch. Calls run off the main actor unless marked `@MainActor`.
///
/// To change requests, responses or outcomes, use ``RequestHooks``.
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
  /// The dispatch starts.
  func requestWillStart(_ context: RequestContext) async

  /// An attempt starts.
  func attemptWillStart(_ context: RequestContext) async

  /// The request of an attempt is complete, and usually goes to the transport or a mock.
  ///
  /// Called again after a followed redirect. Not called if the cache responds without a request to the
  /// server, or if the attempt uses a mock after a failure.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async

  /// The progress of the transfer changed.
  ///
  /// Several changes may cause a single call, because the transfer does not wait for accessories.
  func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async

  /// True if the agent calls ``connectionDidStep(_:at:context:)``; `false` by default.
  var watchesConnections: Bool { get }

  /// The opening of a connection for the attempt has reached a step.
  ///
  /// `time` is by the agent's clock. Called only with ``watchesConnections``, and only if the transport reports
  /// steps, as `CurlTransport` does. The transfer does not wait for accessories. The steps come before
  /// ``attemptDidStop(_:context:)``.
  func connectionDidStep(
    _ step: TransportSummary.ConnectionStep, at time: Date, context: RequestContext) async

  /// The attempt ended; for a failure, the retry decision was made.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async

  /// The dispatch has an outcome, which a `filter` hook may still change.
  func requestWillStop(_ context: RequestContext) async

  /// The dispatch ended with the outcome in `report`.
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
  /// Returns `false`.
  public var watchesConnections: Bool { false }
  /// Has no effect.
  public func connectionDidStep(
    _ step: TransportSummary.ConnectionStep, at time: Date, context: RequestContext
  ) async {}
  /// Has no effect.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {}
  /// Has no effect.
  public func requestWillStop(_ context: RequestContext) async {}
  /// Has no effect.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {}
}

public import Foundation

/// An accessory made of closures, for small observers.
///
/// ```swift
/// EventAccessory(willStart: { _ in spinner.begin() }, didStop: { _, _ in spinner.end() })
/// ```
///
/// `ErrandApps` has ready-made accessories, such as `.activity`.
public struct EventAccessory: Accessory {
  private let willStart: (@Sendable (RequestContext) async -> Void)?
  private let willSend: (@Sendable (HTTPRequest, RequestContext) async -> Void)?
  private let connecting: (@Sendable (TransportSummary.ConnectionStep, Date, RequestContext) async -> Void)?
  private let attemptStopped: (@Sendable (AttemptReport, RequestContext) async -> Void)?
  private let willStop: (@Sendable (RequestContext) async -> Void)?
  private let didStop: (@Sendable (ExchangeReport, RequestContext) async -> Void)?

  /// Creates an accessory.
  public init(
    willStart: (@Sendable (RequestContext) async -> Void)? = nil,
    willSend: (@Sendable (HTTPRequest, RequestContext) async -> Void)? = nil,
    connecting: (@Sendable (TransportSummary.ConnectionStep, Date, RequestContext) async -> Void)? = nil,
    attemptStopped: (@Sendable (AttemptReport, RequestContext) async -> Void)? = nil,
    willStop: (@Sendable (RequestContext) async -> Void)? = nil,
    didStop: (@Sendable (ExchangeReport, RequestContext) async -> Void)? = nil
  ) {
    self.willStart = willStart
    self.willSend = willSend
    self.connecting = connecting
    self.attemptStopped = attemptStopped
    self.willStop = willStop
    self.didStop = didStop
  }

  /// Creates an accessory whose closures run on the main actor.
  public static func onMainActor(
    willStart: (@MainActor @Sendable (RequestContext) -> Void)? = nil,
    willSend: (@MainActor @Sendable (HTTPRequest, RequestContext) -> Void)? = nil,
    connecting: (@MainActor @Sendable (TransportSummary.ConnectionStep, Date, RequestContext) -> Void)? = nil,
    attemptStopped: (@MainActor @Sendable (AttemptReport, RequestContext) -> Void)? = nil,
    willStop: (@MainActor @Sendable (RequestContext) -> Void)? = nil,
    didStop: (@MainActor @Sendable (ExchangeReport, RequestContext) -> Void)? = nil
  ) -> EventAccessory {
    EventAccessory(
      willStart: willStart, willSend: willSend, connecting: connecting, attemptStopped: attemptStopped,
      willStop: willStop, didStop: didStop)
  }

  /// Calls `willStart`.
  public func requestWillStart(_ context: RequestContext) async { await willStart?(context) }

  /// Calls `willSend`.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    await willSend?(request, context)
  }

  /// True if the closure `connecting` is set.
  public var watchesConnections: Bool { connecting != nil }

  /// Calls `connecting`.
  public func connectionDidStep(
    _ step: TransportSummary.ConnectionStep, at time: Date, context: RequestContext
  ) async { await connecting?(step, time, context) }

  /// Calls `attemptStopped`.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    await attemptStopped?(attempt, context)
  }

  /// Calls `willStop`.
  public func requestWillStop(_ context: RequestContext) async { await willStop?(context) }

  /// Calls `didStop`.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    await didStop?(report, context)
  }
}

public import Errand
import Foundation

struct BackgroundTaskAccessory: Accessory {
  private struct Grant {
    enum Phase {
      case beginning
      case running(Int)
      /// The system granted no background time.
      case ungranted
      case expired
    }

    /// The number of the attempt.
    ///
    /// A late expiry of an earlier attempt is ignored.
    let attempt: Int
    var phase = Phase.beginning
  }

  private let host: any EventAccessory.BackgroundTaskHost
  private let covers: @Sendable (HTTPRequest) -> Bool
  private let expired: @Sendable (RequestContext) -> Void
  private let grants = Locked<[ObjectIdentifier: Grant]>([:])

  init(
    _ host: any EventAccessory.BackgroundTaskHost, covers: @escaping @Sendable (HTTPRequest) -> Bool,
    expired: @escaping @Sendable (RequestContext) -> Void
  ) {
    self.host = host
    self.covers = covers
    self.expired = expired
  }

  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    guard covers(request) else { return }
    let dispatch = context.dispatchIdentity
    let isFirst = grants.withLock { grants in
      guard grants[dispatch] == nil else { return false }
      grants[dispatch] = Grant(attempt: context.attempt)
      return true
    }
    guard isFirst else { return }
    let id = host.beginBackgroundTask(named: "Errand \(request.url.host() ?? "")") { expire(context) }
    let hasExpired = grants.withLock { grants in
      guard case .beginning = grants[dispatch]?.phase else { return true }
      grants[dispatch]?.phase = id.map(Grant.Phase.running) ?? .ungranted
      return false
    }
    if hasExpired { end(id, of: context) }
  }

  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let grant = grants.withLock { $0.removeValue(forKey: context.dispatchIdentity) }
    if case .running(let id) = grant?.phase { host.endBackgroundTask(id) }
  }

  /// Ends the background task of the attempt after an expiry.
  ///
  /// During `beginBackgroundTask`, the identifier is still unknown. `attemptWillSend` then ends the task.
  private func expire(_ context: RequestContext) {
    let dispatch = context.dispatchIdentity
    let phase: Grant.Phase? = grants.withLock { grants in
      guard let grant = grants[dispatch], grant.attempt == context.attempt else { return nil }
      grants[dispatch]?.phase = .expired
      return grant.phase
    }
    if case .running(let id) = phase { end(id, of: context) }
  }

  private func end(_ id: Int?, of context: RequestContext) {
    if let id { host.endBackgroundTask(id) }
    expired(context)
  }
}

extension Accessory where Self == EventAccessory {
  /// Asks the system for background time during the transfer of an attempt.
  ///
  /// Shortly before the time is up, the accessory ends the background task. The dispatch continues.
  ///
  /// - Parameters:
  ///   - host: begins and ends the background tasks.
  ///   - covers: returns true if a request needs background time; all requests by default.
  ///   - expired: called after a background task has expired and ended.
  public static func backgroundTasks(
    of host: any EventAccessory.BackgroundTaskHost,
    covers: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    expired: @escaping @Sendable (RequestContext) -> Void = { _ in }
  ) -> EventAccessory {
    let tasks = BackgroundTaskAccessory(host, covers: covers, expired: expired)
    return EventAccessory(
      willSend: { await tasks.attemptWillSend($0, context: $1) },
      attemptStopped: { await tasks.attemptDidStop($0, context: $1) })
  }
}

extension EventAccessory {
  /// A provider of background time, such as the application or a substitute in a test.
  public protocol BackgroundTaskHost: Sendable {
    /// Begins a background task, or returns `nil` if the system grants no time.
    ///
    /// An implementation calls `expired` at most once, on any thread, shortly before the time is up.
    func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int?

    /// Ends the background task with an identifier from ``beginBackgroundTask(named:expired:)``.
    func endBackgroundTask(_ id: Int)
  }
}

import Foundation

/// Asks the system for time while an attempt runs; made by `.backgroundTasks(of:)`.
struct BackgroundTaskAccessory: Accessory {
  private struct Grant {
    enum Phase {
      /// The host has not said under which number yet.
      case beginning
      /// Without a number where none was granted.
      case running(Int?)
      case expired
    }

    /// Its number: the expiry of an attempt before may come late.
    let attempt: Int
    var phase = Phase.beginning
  }

  private let host: any EventAccessory.BackgroundTaskHost
  private let covers: @Sendable (HTTPRequest) -> Bool
  private let expired: @Sendable (RequestContext) -> Void
  /// By dispatch.
  private let grants = Locked<[ObjectIdentifier: Grant]>([:])

  init(
    _ host: any EventAccessory.BackgroundTaskHost, covers: @escaping @Sendable (HTTPRequest) -> Bool,
    expired: @escaping @Sendable (RequestContext) -> Void
  ) {
    self.host = host
    self.covers = covers
    self.expired = expired
  }

  /// Begins a task, named `Errand` and the host of the request.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    guard covers(request) else { return }
    let dispatch = ObjectIdentifier(context.dispatched)
    let isFirst = grants.withLock { grants in
      guard grants[dispatch] == nil else { return false }
      grants[dispatch] = Grant(attempt: context.attempt)
      return true
    }
    guard isFirst else { return }
    let id = host.beginBackgroundTask(named: "Errand \(request.url.host() ?? "")") { expire(context) }
    let hasExpired = grants.withLock { grants in
      guard case .beginning = grants[dispatch]?.phase else { return true }
      grants[dispatch]?.phase = .running(id)
      return false
    }
    if hasExpired { end(id, of: context) }
  }

  /// Ends the task.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let grant = grants.withLock { $0.removeValue(forKey: ObjectIdentifier(context.dispatched)) }
    if case .running(let id?) = grant?.phase { host.endBackgroundTask(id) }
  }

  /// Ends the task of an attempt that still runs; one that begins ends as soon as it has a number.
  private func expire(_ context: RequestContext) {
    let dispatch = ObjectIdentifier(context.dispatched)
    let phase: Grant.Phase? = grants.withLock { grants in
      guard let grant = grants[dispatch], grant.attempt == context.attempt else { return nil }
      grants[dispatch]?.phase = .expired
      return grant.phase
    }
    if case .running(let id) = phase { end(id, of: context) }
  }

  /// Ends a task whose time is up, and tells of it.
  private func end(_ id: Int?, of context: RequestContext) {
    if let id { host.endBackgroundTask(id) }
    expired(context)
  }
}

extension Accessory where Self == EventAccessory {
  /// Asks the system for time while an attempt runs, so that it may end after the app has left the foreground.
  ///
  /// Each attempt has a task of its own, from the moment it goes to the transport until it stops: none is held while a retry is
  /// waited for. When the system's time is up the task ends, and the dispatch goes on as long as it may.
  ///
  /// - Parameters:
  ///   - host: the application.
  ///   - covers: says for which requests time is asked; for all by default.
  ///   - expired: called when the time is up, once for an attempt and after its task has ended; does nothing by default. An app
  ///     that wants the dispatch to end then cancels its handle here.
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
  /// What lets an app run on for a while when it leaves the foreground: `UIApplication`, or what stands in for it in a test.
  public protocol BackgroundTaskHost: Sendable {
    /// Begins a task; `nil` when the system grants none.
    ///
    /// - Parameters:
    ///   - name: what debuggers show.
    ///   - expired: to be called when the time is nearly up, on any thread, at most once; the task is ended within it.
    func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int?

    /// Ends a task that ``beginBackgroundTask(named:expired:)`` gave, once.
    func endBackgroundTask(_ id: Int)
  }
}

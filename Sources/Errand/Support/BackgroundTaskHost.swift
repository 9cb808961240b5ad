#if canImport(UIKit) && !os(watchOS)
public import UIKit
#endif

/// What lets an app run on for a while when it leaves the foreground: `UIApplication`, by `ApplicationBackgroundTasks`.
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

#if canImport(UIKit) && !os(watchOS)
/// The background tasks of the application, for ``BackgroundTaskAccessory``.
public struct ApplicationBackgroundTasks: BackgroundTaskHost {
  private let application: UIApplication

  /// Makes a host of `application`, such as `UIApplication.shared`; an extension has none.
  public init(_ application: UIApplication) { self.application = application }

  /// Asks the application.
  public func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int? {
    let id = application.beginBackgroundTask(withName: name) { expired() }
    return id == .invalid ? nil : id.rawValue
  }

  /// Tells the application.
  public func endBackgroundTask(_ id: Int) {
    application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: id))
  }
}
#endif

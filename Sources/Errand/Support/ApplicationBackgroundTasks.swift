#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// The background tasks of the application, for ``BackgroundTaskAccessory``.
public struct ApplicationBackgroundTasks: BackgroundTaskHost {
  private let application: UIApplication

  /// Those of `application`, such as `UIApplication.shared`; an extension has none.
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

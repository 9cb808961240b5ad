#if canImport(UIKit) && !os(watchOS)
public import Errand
public import UIKit

extension Accessory where Self == EventAccessory {
  /// Asks the application, such as `.shared`, for background time during the transfer of an attempt.
  ///
  /// `covers` selects the requests; all requests by default.
  /// `expired` is called after a background task has expired and ended.
  public static func backgroundTasks(
    of application: UIApplication, covers: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    expired: @escaping @Sendable (RequestContext) -> Void = { _ in }
  ) -> EventAccessory {
    .backgroundTasks(
      of: ApplicationHost(application: application) as any EventAccessory.BackgroundTaskHost, covers: covers,
      expired: expired)
  }
}

private struct ApplicationHost: EventAccessory.BackgroundTaskHost {
  let application: UIApplication

  func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int? {
    let id = application.beginBackgroundTask(withName: name) { expired() }
    return id == .invalid ? nil : id.rawValue
  }

  func endBackgroundTask(_ id: Int) {
    application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: id))
  }
}
#endif

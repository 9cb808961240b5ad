#if canImport(UIKit) && !os(watchOS)
public import UIKit

extension BackgroundTaskAccessory {
  /// Makes an accessory that asks the application, such as `.shared`; an extension has none.
  ///
  /// The rest is as in the one with a ``BackgroundTaskHost``.
  public init(
    _ application: UIApplication, covers: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    expired: @escaping @Sendable (RequestContext) -> Void = { _ in }
  ) {
    self.init(ApplicationHost(application: application), covers: covers, expired: expired)
  }
}

private struct ApplicationHost: BackgroundTaskHost {
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

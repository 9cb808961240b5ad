// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of UIKit that the sources use. Only for iOS.
@_exported public import AppleFoundation

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIApplication: UIResponder {
  open class var shared: UIApplication { fatalError() }

  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { .invalid }

  public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

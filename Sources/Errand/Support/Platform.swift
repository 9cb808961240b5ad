/// The name of the system, as the `User-Agent` says it.
enum Platform {
  #if os(macOS)
  static let name = "macOS"
  #elseif os(iOS)
  static let name = "iOS"
  #elseif os(tvOS)
  static let name = "tvOS"
  #elseif os(watchOS)
  static let name = "watchOS"
  #elseif os(visionOS)
  static let name = "visionOS"
  #else
  static let name = "Linux"
  #endif

  /// The version of Errand, as the `User-Agent` says it.
  static let errandVersion = "0.1.0"
}

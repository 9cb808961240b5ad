/// The name of the system, as the `User-Agent` says it.
package enum Platform {
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

  /// Whether the user has chosen a language: on Linux the environment says so, and Foundation makes one up where it
  /// does not.
  #if os(Linux)
  static func hasLanguage(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    return locale.map { !["C", "POSIX"].contains($0.prefix { $0 != "." }) } ?? false
  }
  #else
  static func hasLanguage(_ environment: [String: String]) -> Bool { true }
  #endif

  /// The version of Errand, as the `User-Agent` says it.
  package static let errandVersion = "0.1.0"
}

/// The name of the system and the version of Errand, for the `User-Agent` header.
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

  /// Returns true if the user has chosen a language.
  ///
  /// On Linux, the environment must name a locale other than `C` and `POSIX`. Otherwise Foundation reports a
  /// language that the user has not chosen.
  #if os(Linux)
  static func hasLanguage(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    return locale.map { !["C", "POSIX"].contains($0.prefix { $0 != "." }) } ?? false
  }
  #else
  static func hasLanguage(_ environment: [String: String]) -> Bool { true }
  #endif

  /// The version of Errand in the `User-Agent` header.
  package static let errandVersion = "0.1.0"
}

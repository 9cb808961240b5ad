import Foundation

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

  /// Returns the user's languages as tags such as `de-CH`, most preferred first.
  ///
  /// On Linux, the languages come from environment variables such as `LANG`, as in gettext. Foundation for
  /// Linux reports `en-001` for every locale.
  #if os(Linux)
  static func languages(_ environment: [String: String]) -> [String] {
    func tag(_ locale: some StringProtocol) -> String? {
      let name = String(locale.prefix { $0 != "." && $0 != "@" })
      return ["", "C", "POSIX"].contains(name) ? nil : name.replacing("_", with: "-")
    }
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let language = locale.flatMap({ tag($0) }) else { return [] }
    let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { tag($0) }
    return listed.isEmpty ? [language] : listed
  }
  #else
  static func languages(_ environment: [String: String]) -> [String] { Locale.preferredLanguages }
  #endif

  package static let errandVersion = "0.1.0"
}

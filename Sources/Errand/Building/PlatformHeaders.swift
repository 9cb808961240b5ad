import Foundation

enum PlatformHeaders {
  /// The default `User-Agent`, such as `Name/1.2 Errand/0.1.0 (macOS 15.1)`.
  ///
  /// In the app's name and version, bytes not allowed in a token (RFC 9110 section 5.6.2) become `-`.
  static let userAgent: String = {
    let bundle = Bundle.main.infoDictionary
    let program = bundle?["CFBundleExecutable"] as? String ?? ProcessInfo.processInfo.processName
    let version = bundle?["CFBundleShortVersionString"] as? String
    let product = token(program) + (version.map { "/" + token($0) } ?? "")
    return "\(product) Errand/\(Platform.errandVersion) (\(system))"
  }()

  /// Up to six languages with decreasing weights (RFC 9110 section 12.5.4), such as `de-DE, en;q=0.9`.
  static let acceptLanguage: String? = languages(Platform.languages(ProcessInfo.processInfo.environment))

  static func languages(_ tags: [String]) -> String? {
    let known = tags.filter { !$0.isEmpty && $0.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x2D } }
    let weighted = known.prefix(6).enumerated().map { index, tag in
      index == 0 ? tag : "\(tag);q=0.\(10 - index)"
    }
    return weighted.isEmpty ? nil : weighted.joined(separator: ", ")
  }

  /// Returns the printable ASCII and tabs of a text, without blanks at the ends; `nil` if nothing remains.
  static func fieldText(_ text: String) -> String? {
    let kept = text.utf8.filter { (0x20...0x7E).contains($0) || $0 == 0x09 }
    let trimmed = String(decoding: kept, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    return trimmed.isEmpty ? nil : trimmed
  }

  static func token(_ text: String) -> String {
    String(decoding: text.utf8.map { HTTPHeaders.isTokenByte($0) ? $0 : 0x2D }, as: UTF8.self)
  }

  private static var system: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(Platform.name) \(version.majorVersion).\(version.minorVersion)"
  }
}

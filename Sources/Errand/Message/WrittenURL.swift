package import Foundation

/// A URL, or the text of a URL that is parsed only when read.
package enum WrittenURL: Sendable {
  case parsed(URL)
  /// The text of an absolute URL for which `URL(string:)` returns a URL with the same text.
  case text(String)

  /// The absolute URL as text.
  package var text: String {
    switch self {
    case .parsed(let url): url.absoluteString
    case .text(let text): text
    }
  }

  /// The URL; parsed anew at each call for a text.
  package var url: URL {
    switch self {
    case .parsed(let url): url
    // The fallback is only for the compiler, because `URL(string:)` accepts the text.
    case .text(let text): URL(string: text) ?? URL(fileURLWithPath: text)
    }
  }

  /// Returns true if both URLs are unparsed and have the same text.
  ///
  /// Equal URLs may also return false.
  func isSameText(as other: WrittenURL) -> Bool {
    guard case .text(let own) = self, case .text(let text) = other else { return false }
    return own == text
  }
}

extension WrittenURL: Hashable {
  package static func == (a: WrittenURL, b: WrittenURL) -> Bool { a.isSameText(as: b) || a.url == b.url }

  package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

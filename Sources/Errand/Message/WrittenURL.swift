package import Foundation

/// A parsed URL, or the text of a URL, parsed when `url` is read.
package enum WrittenURL: Sendable {
  case parsed(URL)
  /// An absolute URL that `URL(string:)` keeps unchanged.
  case text(String)

  package var text: String {
    switch self {
    case .parsed(let url): url.absoluteString
    case .text(let text): text
    }
  }

  package var url: URL {
    switch self {
    case .parsed(let url): url
    // `URL(string:)` accepts the text, so the fallback is unused.
    case .text(let text): URL(string: text) ?? URL(fileURLWithPath: text)
    }
  }

  /// Compares the texts of two unparsed URLs; returns false if either URL is parsed.
  func isSameText(as other: WrittenURL) -> Bool {
    guard case .text(let own) = self, case .text(let text) = other else { return false }
    return own == text
  }
}

extension WrittenURL: Hashable {
  package static func == (a: WrittenURL, b: WrittenURL) -> Bool { a.isSameText(as: b) || a.url == b.url }

  package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

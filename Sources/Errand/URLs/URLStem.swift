import Foundation

/// The checked beginning of the URLs under a base.
///
/// Builds the same URLs as ``URLJoining``.
struct URLStem: Sendable {
  private let text: String

  init?(base: String) {
    guard !URLJoining.isPadded(base), var parts = URLParts(absolute: base), parts.userInfo == nil,
      parts.query.isEmpty
    else { return nil }
    parts.append(path: "/")
    guard let url = try? parts.url(adding: [String]()) else { return nil }
    text = url.absoluteString
  }

  /// Returns the URL; `nil` if the path is empty or not ``plain``, or Foundation refuses the URL.
  func url(path: String, query: [String]) -> WrittenURL? {
    guard !path.isEmpty, Self.plain.containsAll(of: path) else { return nil }
    var result = text
    if path.utf8.first == 0x2F { result += path.dropFirst() } else { result += path }
    // Without a query, every byte is valid, so the URL is parsed only when read.
    if query.isEmpty { return .text(result) }
    result += URLParts.joined(query.map { $0[...] })
    return URL(string: result).map { .parsed($0) }
  }

  /// The bytes that a path may contain unescaped, except `:`, because a colon may end a scheme.
  private static let plain = ByteSet { URLParts.isPathByte($0) && $0 != 0x3A }
}

final class URLStems: Sendable {
  private struct Known: Sendable {
    let base: String
    let stem: URLStem?
  }

  private static let limit = 8

  private let known = Locked<[Known]>([])

  func stem(of base: URL) -> URLStem? {
    let base = base.absoluteString
    if let found = known.withLock({ known in known.first { $0.base == base } }) { return found.stem }
    let stem = URLStem(base: base)
    known.withLock { known in
      if known.count == Self.limit { known.removeFirst() }
      known.append(Known(base: base, stem: stem))
    }
    return stem
  }
}

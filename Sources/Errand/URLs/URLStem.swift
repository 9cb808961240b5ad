import Foundation

/// What every URL under a base begins with, judged and encoded once, so that a plain path is only appended to it.
///
/// It has no rules of its own: what it does not know it leaves to ``URLJoining``, which gives the same URLs.
struct URLStem: Sendable {
  /// Such as `https://api.example.com/v1/`.
  private let text: String

  /// `nil` for a base that is none, and for one with a query or user info.
  init?(base: String) {
    guard !URLJoining.isPadded(base), var parts = URLParts(absolute: base), parts.userInfo == nil,
      parts.query.isEmpty
    else { return nil }
    parts.append(path: "/")
    guard let url = try? parts.url(adding: [String]()) else { return nil }
    text = url.absoluteString
  }

  /// The URL of a path that goes under the base as it is; `nil` for any other.
  func url(path: String, query: [String]) -> URL? {
    guard !path.isEmpty, Self.plain.containsAll(of: path) else { return nil }
    var result = text
    if path.utf8.first == 0x2F { result += path.dropFirst() } else { result += path }
    if !query.isEmpty { result += URLParts.joined(query.map { $0[...] }) }
    return URL(string: result)
  }

  /// Without `:`, which would begin a scheme, and without `%`, `?` and `#`, which have a meaning.
  private static let plain = ByteSet { URLParts.isPathByte($0) && $0 != 0x3A }
}

/// The stems of the bases that requests bring along: the last few, as an agent speaks to few places.
final class URLStems: Sendable {
  private struct Known: Sendable {
    let base: String
    let stem: URLStem?
  }

  private static let limit = 8

  private let known = Locked<[Known]>([])

  /// The stem of a base; `nil` where ``URLStem`` has none.
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

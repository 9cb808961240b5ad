import Foundation

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

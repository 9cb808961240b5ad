/// Where an answer came from, and what the cache did with it: ``AttemptReport/cache``.
public struct CacheVerdict: Sendable, Hashable, Codable {
  /// Where an answer came from.
  public enum Source: String, Codable, Sendable, Hashable {
    /// The network alone.
    case network
    /// The cache; it is fresh, or the policy does not ask.
    case cache
    /// The cache, after the server said that it still holds.
    case revalidated
    /// The cache, although it is not fresh any more.
    case stale
  }

  /// Where it came from.
  public var source: Source
  /// Why, as a clause without a full stop, such as `it is fresh for 55 s more` or `nothing is stored`.
  public var reason: String
  /// How old it was, in whole seconds (RFC 9111 section 4.2.3); `nil` of one from the network.
  public var age: Int?
  /// What became of the network's answer, as a clause, such as `stored`, `not stored: no-store`; `nil` where there was none, or its body was not read to its
  /// end.
  public var storing: String?

  init(_ source: Source, _ reason: String, age: Double? = nil) {
    (self.source, self.reason) = (source, reason)
    self.age = age.map { Int(min(max(0, $0), 2_147_483_648)) }
  }
}

extension CacheVerdict: CustomStringConvertible {
  /// Such as `from the cache, 5 s old: it is fresh for 55 s more`.
  public var description: String {
    let origin =
      switch source {
      case .network: "from the network"
      case .cache: "from the cache"
      case .revalidated: "from the cache, revalidated"
      case .stale: "from the cache, stale"
      }
    return origin + (age.map { ", \($0) s old" } ?? "") + ": \(reason)" + (storing.map { "; \($0)" } ?? "")
  }
}

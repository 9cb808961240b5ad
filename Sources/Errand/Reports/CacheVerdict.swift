extension ExchangeReport {
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
      /// Nowhere: the cache alone was to answer, and has no answer.
      case nowhere
    }

    /// Where it came from.
    public var source: Source
    /// Why, as a clause without a full stop, such as `it is fresh for 55 s more` or `nothing is stored`.
    public var reason: String {
      get { why.text }
      set { why = .text(newValue) }
    }
    /// How old it was, in whole seconds (RFC 9111 section 4.2.3); `nil` of one from the network.
    public var age: Int?
    /// What became of the network's answer, as a clause, such as `stored`, `not stored: no-store`; `nil` where there was none, or its body was not read to its
    /// end.
    public var storing: String?

    private var why: Reason

    /// A reason that is put into words when somebody reads it: a hit is to cost little.
    enum Reason: Sendable, Hashable {
      case text(String)
      /// Fresh for so many seconds more, by the server's word or by its last change.
      case fresh(Double, isExplicit: Bool)
      /// Kept for so many seconds more.
      case kept(Double)

      var text: String {
        switch self {
        case .text(let text): text
        case .fresh(let rest, true): "it is fresh for \(Self.text(rest)) more"
        case .fresh(let rest, false): "it is fresh for \(Self.text(rest)) more, by its last change"
        case .kept(let rest): "it is kept for \(Self.text(rest)) more"
        }
      }

      /// Whole seconds.
      static func text(_ seconds: Double) -> String { "\(Int(min(max(seconds, 0), 1e12).rounded(.down))) s" }
    }

    init(_ source: Source, because reason: String, age: Double? = nil) {
      self.init(source, because: .text(reason), age: age)
    }

    init(_ source: Source, because reason: Reason, age: Double? = nil) {
      self.source = source
      why = reason
      self.age = age.map { Int(min(max(0, $0), 2_147_483_648)) }
    }

    private enum CodingKeys: String, CodingKey { case source, reason, age, storing }

    /// Writes its members, each under its name.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(source, forKey: .source)
      try container.encode(reason, forKey: .reason)
      try container.encodeIfPresent(age, forKey: .age)
      try container.encodeIfPresent(storing, forKey: .storing)
    }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      source = try container.decode(Source.self, forKey: .source)
      why = .text(try container.decode(String.self, forKey: .reason))
      age = try container.decodeIfPresent(Int.self, forKey: .age)
      storing = try container.decodeIfPresent(String.self, forKey: .storing)
    }

    /// Compares what they say.
    public static func == (a: CacheVerdict, b: CacheVerdict) -> Bool {
      a.source == b.source && a.reason == b.reason && a.age == b.age && a.storing == b.storing
    }

    /// Hashes the same.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(source)
      hasher.combine(reason)
      hasher.combine(age)
      hasher.combine(storing)
    }
  }
}

extension ExchangeReport.CacheVerdict: CustomStringConvertible {
  /// Such as `from the cache, 5 s old: it is fresh for 55 s more`.
  public var description: String {
    let origin =
      switch source {
      case .network: "from the network"
      case .cache: "from the cache"
      case .revalidated: "from the cache, revalidated"
      case .stale: "from the cache, stale"
      case .nowhere: "from nowhere"
      }
    return origin + (age.map { ", \($0) s old" } ?? "") + ": \(reason)" + (storing.map { "; \($0)" } ?? "")
  }
}

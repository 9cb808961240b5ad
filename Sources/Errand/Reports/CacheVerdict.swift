extension ExchangeReport {
  /// The source of a response and the action of the cache: ``AttemptReport/cache``.
  public struct CacheVerdict: Sendable, Hashable, Codable {
    /// The source of a response.
    public enum Source: String, Codable, Sendable, Hashable {
      /// The network, without a stored response.
      case network
      /// The cache, without asking the server, because the response is fresh or the policy does not ask.
      case cache
      /// The cache, after the server confirmed the response.
      case revalidated
      /// The cache, with a stale response.
      case stale
      /// No source: only the cache was allowed to respond, and had no usable response.
      case nowhere
    }

    /// The source of the response.
    public var source: Source
    /// The reason as a clause without a full stop, such as `the stored response is fresh for 55 s more` or
    /// `nothing is stored`.
    public var reason: String {
      get { why.text }
      set { why = .text(newValue) }
    }
    /// The age in whole seconds (RFC 9111 section 4.2.3); `nil`: no response from the cache.
    public var age: Int?
    /// The result of storing the network's response as a clause, such as `stored` or `not stored: no-store`.
    ///
    /// For a rejected response, the text begins with `removed`. `nil` without a decision, for example for a
    /// response of the cache, an unread body, or `HEAD`.
    public var storing: String?

    private var why: Reason

    /// A reason formatted on demand, because a cache hit should cost little.
    enum Reason: Sendable, Hashable {
      case text(String)
      /// Fresh for a number of seconds, either stated by the server or estimated from the last
      /// modification.
      case fresh(Double, isExplicit: Bool)
      /// Kept for a further number of seconds by a fixed lifetime.
      case kept(Double)

      var text: String {
        switch self {
        case .text(let text): text
        case .fresh(let rest, true): "the stored response is fresh for \(Self.text(rest)) more"
        case .fresh(let rest, false):
          "the stored response is fresh for \(Self.text(rest)) more, estimated from its last change"
        case .kept(let rest): "the stored response is kept for \(Self.text(rest)) more"
        }
      }

      /// Returns the seconds as text, rounded down.
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

    /// Encodes each member under its name.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(source, forKey: .source)
      try container.encode(reason, forKey: .reason)
      try container.encodeIfPresent(age, forKey: .age)
      try container.encodeIfPresent(storing, forKey: .storing)
    }

    /// Decodes the result of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      source = try container.decode(Source.self, forKey: .source)
      why = .text(try container.decode(String.self, forKey: .reason))
      age = try container.decodeIfPresent(Int.self, forKey: .age)
      storing = try container.decodeIfPresent(String.self, forKey: .storing)
    }

    /// Returns true if source, reason, age and result of storing are equal.
    public static func == (a: CacheVerdict, b: CacheVerdict) -> Bool {
      a.source == b.source && a.reason == b.reason && a.age == b.age && a.storing == b.storing
    }

    /// Hashes source, reason, age and result of storing.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(source)
      hasher.combine(reason)
      hasher.combine(age)
      hasher.combine(storing)
    }
  }
}

extension ExchangeReport.CacheVerdict: CustomStringConvertible {
  /// A text such as `from the cache, 5 s old: the stored response is fresh for 55 s more`.
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

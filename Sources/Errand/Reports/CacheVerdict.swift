extension ExchangeReport {
  /// The source of a response, and the reason; see ``AttemptReport/cache``.
  public struct CacheVerdict: Sendable, Hashable, Codable {
    /// The source of a response.
    public enum Source: String, Codable, Sendable, Hashable {
      /// The network; the body may begin with a stored part.
      case network
      /// The cache, without waiting for the server, because the response was fresh or in its fixed lifetime.
      case cache
      /// The cache, after the server confirmed the stored response.
      case revalidated
      /// The cache, with a stale response, or as a fallback after a failure of network or server.
      case stale
      /// No source, because the cache had no usable response.
      case nowhere
    }

    /// The source of the response.
    public var source: Source
    /// The reason as a clause, such as `nothing is stored`.
    public var reason: String {
      get { why.text }
      set { why = .text(newValue) }
    }
    /// The age in seconds (RFC 9111 section 4.2.3); `nil`: not from the cache.
    ///
    /// If the lifetime is fixed, usually the time since the response arrived.
    public var age: Int?
    /// The result of storing, as a clause such as `not stored: no-store`; `nil`: no decision.
    public var storing: String?

    private var why: Reason

    enum Reason: Sendable, Hashable {
      case text(String)
      /// The remaining lifetime in seconds; `isExplicit` is true for a lifetime stated by the server.
      case fresh(Double, isExplicit: Bool)
      /// The remaining seconds of a fixed lifetime.
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

    /// Encodes the verdict.
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

    /// Compares all properties.
    public static func == (a: CacheVerdict, b: CacheVerdict) -> Bool {
      a.source == b.source && a.reason == b.reason && a.age == b.age && a.storing == b.storing
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(source)
      hasher.combine(reason)
      hasher.combine(age)
      hasher.combine(storing)
    }
  }
}

extension ExchangeReport.CacheVerdict {
  func redacted(by redaction: Redaction) -> Self {
    var verdict = self
    if case .text(let text) = why { verdict.why = .text(redaction.text(text)) }
    verdict.storing = storing.map(redaction.text)
    return verdict
  }
}

extension ExchangeReport.CacheVerdict: PrintedByDescription {
  /// A text such as `from the cache, 5 s old: the stored response is fresh for 55 s more`.
  public var description: String { Redaction.standard.text(text).printed }

  private var text: String {
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

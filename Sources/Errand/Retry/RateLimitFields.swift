/// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), in the forms of its drafts.
struct RateLimitFields {
  /// What they say; empty when they are absent or cannot be read.
  let quotas: [ServerQuota]

  init(_ headers: HTTPHeaders) {
    guard let text = headers["RateLimit"], let members = StructuredFieldList.members(of: text) else {
      quotas = []
      return
    }
    let windows = Self.windows(headers["RateLimit-Policy"])
    let named = members.compactMap { Self.quota($0, windows) }
    quotas = named.isEmpty ? Self.dictionary(members) : named
  }

  /// `"default";r=0;t=30`.
  private static func quota(
    _ member: StructuredFieldList.Member, _ windows: [Substring: Duration]
  ) -> ServerQuota? {
    guard let remaining = member.parameters["r"].flatMap({ Decimals.count($0) }) else { return nil }
    if let text = member.parameters["t"] {
      return Decimals.count(text).map { ServerQuota(remaining: remaining, reset: .seconds($0)) }
    }
    return windows[member.head].map { ServerQuota(remaining: remaining, reset: $0) }
  }

  /// `limit=100, remaining=0, reset=30`.
  private static func dictionary(_ members: [StructuredFieldList.Member]) -> [ServerQuota] {
    let pairs = members.map { StructuredFieldList.pair($0.head) }
    func number(_ name: Substring) -> Int? {
      pairs.last { $0.name == name }.flatMap { Decimals.count($0.value) }
    }
    guard let remaining = number("remaining"), let reset = number("reset") else { return [] }
    return [ServerQuota(remaining: remaining, reset: .seconds(reset))]
  }

  /// The window of each policy: `"default";q=100;w=60`.
  private static func windows(_ text: String?) -> [Substring: Duration] {
    let members = text.flatMap(StructuredFieldList.members) ?? []
    let pairs = members.compactMap { member in
      member.parameters["w"].flatMap { Decimals.count($0) }.map { (member.head, Duration.seconds($0)) }
    }
    return Dictionary(pairs) { $1 }
  }
}

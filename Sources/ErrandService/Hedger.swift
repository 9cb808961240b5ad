import Errand

/// The recent latencies and the saved copies of an agent's endpoints.
final class Hedger: TransferHedger {
  enum Plan {
    case copy(after: Duration, reason: String)
    /// No copy is planned; the text is a clause with the reason.
    case none(String)
  }

  /// The number of endpoints beyond which the least recently used quarter is removed.
  static var limit: Int { 1_000 }

  let rules: Hedging
  private let table = Locked(EndpointTable())

  init(_ rules: Hedging) { self.rules = rules }

  func forAgent() -> any TransferHedger { Hedger(rules) }

  func transport(for transfers: HedgedTransfers) -> any HedgingTransport {
    HedgedTransport(transfers, by: self)
  }

  /// Returns the plan for a request; does not count the request.
  func plan(for endpoint: HedgedEndpoint) -> Plan {
    let known = table.withLock { $0.endpoints[endpoint] } ?? EndpointLatencies()
    guard known.count >= min(max(rules.minimumSamples, 1), EndpointLatencies.capacity) else {
      return .none("only \(known.count) responses of \(endpoint.name) are measured")
    }
    // A comparison with NaN is false, so NaN gives 0.999.
    let percentile = rules.percentile <= 0.999 ? max(rules.percentile, 0.5) : 0.999
    let delay = max(known.latency(at: percentile), rules.minimumDelay)
    return .copy(
      after: delay,
      reason:
        "\(Self.percent(percentile)) % of the last \(known.count) responses of \(endpoint.name) came within "
        + delay.seconds)
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1_000).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  func countRequest(to endpoint: HedgedEndpoint) {
    let share = rules.share >= 0 ? min(rules.share, 1) : 0
    table.withLock { $0.change(endpoint) { $0.save(share) } }
  }

  func record(_ latency: Duration, of endpoint: HedgedEndpoint) {
    table.withLock { $0.change(endpoint) { $0.add(latency) } }
  }

  /// Uses a saved copy; returns false if no copy is saved.
  func takeCopy(of endpoint: HedgedEndpoint) -> Bool {
    table.withLock { $0.change(endpoint) { $0.takeCopy() } }
  }

  func returnCopy(of endpoint: HedgedEndpoint) {
    table.withLock { $0.change(endpoint) { $0.save(1) } }
  }
}

private struct EndpointTable {
  private(set) var endpoints: [HedgedEndpoint: EndpointLatencies] = [:]
  private var uses: UInt64 = 0

  mutating func change<Result>(
    _ endpoint: HedgedEndpoint, with body: (inout EndpointLatencies) -> Result
  ) -> Result {
    if endpoints.count >= Hedger.limit, endpoints[endpoint] == nil { removeSome() }
    uses += 1
    endpoints[endpoint, default: EndpointLatencies()].lastUse = uses
    return body(&endpoints[endpoint, default: EndpointLatencies()])
  }

  private mutating func removeSome() {
    let oldest = endpoints.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Hedger.limit / 4)
    for (endpoint, _) in oldest { endpoints[endpoint] = nil }
  }
}

/// The last latencies of an endpoint, in a ring buffer.
struct EndpointLatencies {
  static var capacity: Int { 200 }
  private static var mostSavedCopies: Double { 10 }

  var lastUse: UInt64 = 0
  private var ring: [Duration] = []
  private var next = 0
  private var savedCopies = 0.0

  var count: Int { ring.count }

  mutating func add(_ latency: Duration) {
    if ring.count < Self.capacity {
      ring.append(latency)
    } else {
      ring[next] = latency
      next = (next + 1) % Self.capacity
    }
  }

  /// Returns the latency at a percentile by the nearest rank; zero without a latency.
  func latency(at percentile: Double) -> Duration {
    guard !ring.isEmpty else { return .zero }
    let rank = Int((percentile * Double(ring.count)).rounded(.up))
    return ring.sorted()[min(max(rank, 1), ring.count) - 1]
  }

  mutating func save(_ copies: Double) { savedCopies = min(savedCopies + copies, Self.mostSavedCopies) }

  mutating func takeCopy() -> Bool {
    // The tolerance covers rounding errors of the sum of the shares.
    guard savedCopies >= 1 - 1e-9 else { return false }
    savedCopies = max(savedCopies - 1, 0)
    return true
  }
}

public import Errand
public import Foundation

/// Several base URLs of a service, with the health of each base.
///
/// ```swift
/// var configuration = AgentConfiguration(retryPolicy: .upTo(2))
/// configuration.failover = Failover([east, west], restTime: .seconds(30))
/// let agent = RequestAgent(configuration: configuration)
/// ```
///
/// An attempt of a request without a base URL uses a healthy base, if any. After ``maximumFailures`` failures
/// in a row, a base rests for ``restTime``: attempts avoid the base. The retry policy decides whether a
/// failed request is repeated. The retry usually goes to another healthy base, without a wait.
///
/// After the rest, a single attempt tries the base. Meanwhile, other attempts usually avoid the base. If all
/// bases rest, usually the base whose rest ends first is used.
///
/// A dispatch keeps a base until the base fails or rests. The pages of a request usually keep the base of the
/// first page, and an upload keeps the base of the first request.
///
/// All bases are trusted origins, so the authenticator signs requests for each base. Agents with the same
/// `Failover` share the health, and should have the same clock.
public final class Failover: Sendable {
  /// The order of healthy bases.
  public enum Order: Sendable, Hashable {
    /// The first healthy base of the list.
    case first
    /// The healthy bases in turn.
    case roundRobin
  }

  /// A base and the health of the base.
  public struct Base: Sendable, Hashable {
    /// The base URL.
    public let url: URL
    /// True while the base rests.
    ///
    /// After a rest due to failures, stays true until a success or ``Failover/resume(_:)``. After
    /// ``Failover/rest(_:)``, stays true until ``Failover/resume(_:)``.
    public let isResting: Bool
  }

  /// The order of healthy bases.
  public let order: Order
  /// The time of a rest after failures.
  public let restTime: Duration
  /// The number of failures in a row before a rest, at least 1.
  public let maximumFailures: Int
  package let baseURLs: [URL]
  private let isBaseFailure: @Sendable (RequestError) -> Bool
  private let state: Locked<State>

  /// Creates the bases of a service.
  ///
  /// - Parameters:
  ///   - bases: The base URLs, the preferred base first. Repeated URLs are ignored. With an empty list, the
  ///     agent's base URL is used.
  ///   - order: The order of healthy bases.
  ///   - restTime: The time of a rest after failures.
  ///   - maximumFailures: The number of failures in a row before a rest.
  ///   - isBaseFailure: Returns true for a failure that counts against the base. By default: failed and lost
  ///     connections, timeouts, failed TLS connections, open circuits, and the statuses 502, 503 and 504.
  public init(
    _ bases: [URL], order: Order = .first, restTime: Duration = .seconds(30), maximumFailures: Int = 1,
    isBaseFailure: (@Sendable (RequestError) -> Bool)? = nil
  ) {
    var known: Set<URL> = []
    let unique = bases.filter { known.insert($0).inserted }
    (baseURLs, self.order, self.restTime) = (unique, order, restTime)
    self.maximumFailures = max(maximumFailures, 1)
    self.isBaseFailure = isBaseFailure ?? Failover.standardFailure
    state = Locked(State(healths: unique.map { _ in Health() }))
  }

  /// The bases in the order of the list.
  public var bases: [Base] {
    let healths = state.withLock(\.healths)
    return zip(baseURLs, healths).map { Base(url: $0, isResting: $1.isHeld || $1.restsUntil != nil) }
  }

  /// Lets a base rest until ``resume(_:)``, for example for maintenance.
  public func rest(_ base: URL) { change(base) { $0.isHeld = true } }

  /// Ends the rest of a base.
  public func resume(_ base: URL) { change(base) { $0 = Health() } }

  private func change(_ base: URL, by body: (inout Health) -> Void) {
    guard let index = baseURLs.firstIndex(of: base) else { return }
    state.withLock { body(&$0.healths[index]) }
  }

  @Sendable private static func standardFailure(_ error: RequestError) -> Bool {
    switch error.kind {
    case .circuitOpen: return error.stage == .throttle
    case .secureConnectionFailed: return error.stage == .transport
    // The stage is checked, because a hook of a later stage may throw an error of the same kind.
    case _ where error.isConnectionFailure: return error.stage == .transport
    default: return error.status.map { [502, 503, 504].contains($0.code) } == true
    }
  }
}

extension AgentConfiguration {
  /// Several bases in place of the agent's base URL; `nil`, the default: the agent's base URL.
  public var failover: Failover? {
    get { baseSelector as? Failover }
    set { baseSelector = newValue }
  }
}

extension Failover {
  private struct Health: Sendable {
    /// The end of the rest after failures, by the agent's clock; `nil`: no such rest.
    var restsUntil: Duration?
    /// True from ``rest(_:)`` to ``resume(_:)``.
    var isHeld = false
    var failures = 0

    func isUsable(at now: Duration) -> Bool { !isHeld && restsUntil.map { $0 <= now } ?? true }
  }

  private struct State: Sendable {
    var healths: [Health]
    /// The index of the base after the last selected base, for ``Order/roundRobin``.
    var next = 0
  }

  /// The bases of a dispatch.
  private struct Choices: Sendable {
    var failed: Set<Int> = []
    var current: Int?
    /// True if the current attempt tries a base after a rest.
    var isTrial = false
    /// The health of the base as shown by the current attempt; `nil`: not known yet.
    var isHealthy: Bool?
  }

  private enum ChoicesKey: ContextKey {
    static var defaultValue: Choices { Choices() }
  }

  private func select(_ state: State, for choices: Choices, at now: Duration) -> Int? {
    let indices = state.healths.indices
    if let current = choices.current, !choices.failed.contains(current),
      state.healths[current].isUsable(at: now)
    {
      return current
    }
    let start = order == .first ? 0 : state.next
    let ordered = indices.map { ($0 + start) % indices.count }
    let usable = ordered.filter { state.healths[$0].isUsable(at: now) }
    if let index = usable.first(where: { !choices.failed.contains($0) }) ?? usable.first { return index }
    // All bases rest.
    return ordered.min {
      Self.rank(of: $0, in: state, for: choices) < Self.rank(of: $1, in: state, for: choices)
    }
  }

  private static func rank(of index: Int, in state: State, for choices: Choices) -> (Int, Int, Duration) {
    let health = state.healths[index]
    return (health.isHeld ? 1 : 0, choices.failed.contains(index) ? 1 : 0, health.restsUntil ?? .zero)
  }
}

extension Failover: BaseSelector {
  package func selectBase(in context: RequestContext, isExplanation: Bool) -> URL? {
    guard !baseURLs.isEmpty else { return nil }
    var choices = context[ChoicesKey.self]
    let now = context.now
    let index = state.withLock { state -> Int? in
      let index = select(state, for: choices, at: now)
      guard !isExplanation, let index else { return index }
      if choices.current != index { state.next = (index + 1) % state.healths.count }
      let health = state.healths[index]
      choices.isTrial = health.restsUntil != nil && health.isUsable(at: now)
      // Further attempts avoid the base until the trial ends, but not longer than a second rest.
      if choices.isTrial { state.healths[index].restsUntil = now + restTime }
      return index
    }
    guard let index else { return nil }
    (choices.current, choices.isHealthy) = (index, nil)
    if !isExplanation { context[ChoicesKey.self] = choices }
    return baseURLs[index]
  }

  package func currentBase(in context: RequestContext) -> URL? {
    context[ChoicesKey.self].current.map { baseURLs[$0] }
  }

  package func attemptDidStop(after failure: RequestError?, hasResponse: Bool, in context: RequestContext) {
    var choices = context[ChoicesKey.self]
    let isFailure = failure.map(isBaseFailure) ?? false
    // After a successful head of a stream, only a failure of the body changes the health.
    guard let index = choices.current, choices.isHealthy == nil || choices.isHealthy == true && isFailure
    else { return }
    let now = context.now
    state.withLock { state in
      var health = state.healths[index]
      if isFailure {
        health.failures += 1
        if health.failures >= maximumFailures || health.restsUntil != nil {
          health.restsUntil = now + restTime
        }
      } else if hasResponse {
        (health.restsUntil, health.failures) = (nil, 0)
      } else if choices.isTrial {
        // The trial had no result, so the next attempt may try the base again.
        health.restsUntil = now
      }
      state.healths[index] = health
    }
    choices.isTrial = false
    if isFailure { choices.failed.insert(index) }
    if isFailure || hasResponse { choices.isHealthy = !isFailure }
    context[ChoicesKey.self] = choices
  }

  package func hasHealthyBase(after failure: RequestError, in context: RequestContext) -> Bool {
    guard isBaseFailure(failure) else { return false }
    let (choices, now) = (context[ChoicesKey.self], context.now)
    guard let current = choices.current else { return false }
    return state.withLock { state in
      guard let next = select(state, for: choices, at: now), next != current else { return false }
      return !choices.failed.contains(next) && state.healths[next].isUsable(at: now)
    }
  }
}

import Foundation

/// The working state of one attempt: how far it came, and what is known when it fails.
struct Attempt {
  let number: Int
  /// On the agent's clock.
  let started: Duration
  /// Until its verdict, without what is done to decide on the next.
  var elapsed: Duration = .zero
  var stage: Stage = .build
  var request: HTTPRequest?
  var response: HTTPResponse?
  /// The names of what was kept from the origins it went to.
  var withheld: [String] = []
  /// Of what the transport got first: another attempt begins with it, wherever redirects led this one.
  var first: First?
  var redirects: [RedirectReport] = []
  /// The bytes of the body that were handed on instead of kept; `nil` where they are kept.
  var streamedLength: Int?
  var metrics: TransportMetrics?
  /// Whether it may use no connection that stands already.
  var wantsFreshConnection = false
  /// Whether the request answered itself.
  var isMocked = false
  /// The answer of an attempt that sends nothing.
  var fallback: MockFallback?
  /// The slot of its origin; `nil` while it has none.
  var slot: OriginSlots.Slot?
  /// How long it waited for a slot.
  var slotWait: Duration = .zero
  /// Its limits of time; `nil` when it has none.
  var watch: AttemptWatch?
  /// Whether the authenticator signed what was sent last.
  var isSigned = false
  /// What the authenticator signed last: a redirect elsewhere carries none of it.
  var signedURL: URL?
  /// What was signed last, where the authenticator told whose credentials it used.
  var identified: IdentifiedRequest?
  /// Whether its body is handed on, not kept.
  var isStreamed = false
  /// Whether another dispatch began a transfer of it.
  var isCoalesced = false
  /// Whether another dispatch began the transfer of the hop that was sent last.
  var isLastHopShared = false
  /// Whether a transfer of its own was answered, by a redirect, at the origin it began with.
  var hasOwnAnswer = false
  /// How long the authenticator took, before the request was sent and after it failed.
  var authenticationWait: Duration = .zero
  /// How long it waited for the rate limit of its origin.
  var throttleWait: Duration = .zero
  /// Whether the retry that is to follow was taken from the budget of its origin.
  var hasBudgetedRetry = false
  /// `nil` where its origin has no state.
  var pass: OriginPass?
  /// Whether the state of its origin knows how it ended.
  var isSettled = false

  /// Notes that an origin may not have something, once.
  mutating func withhold(_ name: String) {
    if !withheld.contains(name) { withheld.append(name) }
  }

  /// What decides whether a request may be sent again.
  struct First {
    let method: HTTPMethod
    /// Whether its body is still there.
    let isReplayable: Bool
    /// Whether it has the dispatch's idempotency key.
    let isKeyed: Bool

    init(_ request: HTTPRequest, _ key: KeptIdempotencyKey?) {
      method = request.method
      isReplayable = request.body.isReplayable
      isKeyed = key?.isCarried(by: request) ?? false
    }
  }

  /// How it ended, and what follows.
  enum Verdict {
    case success, cancelled
    indirect case failure(RequestError, RetryVerdict)
  }

  /// The account of it.
  func report<R>(_ verdict: Verdict, of dispatch: Dispatch<R>) -> AttemptReport {
    let (outcome, retry): (Outcome<Void>, RetryVerdict?) =
      switch verdict {
      case .success: (.success(()), nil)
      case .cancelled: (.cancelled, nil)
      case .failure(let error, let retry): (.failure(error), retry)
      }
    return AttemptReport(
      number: number, request: request, response: response, redirects: redirects,
      bodyLength: streamedLength ?? response?.body.count ?? 0, metrics: metrics, isMocked: isMocked,
      isCoalesced: isCoalesced, withheld: withheld, begun: started - dispatch.started, elapsed: elapsed,
      slotWait: slotWait,
      throttleWait: throttleWait, authenticationWait: authenticationWait, outcome: outcome, stage: stage,
      retry: retry?.retry, noRetryReason: retry?.reason,
      link: RedactionSource(dispatched: dispatch.context.dispatched))
  }
}

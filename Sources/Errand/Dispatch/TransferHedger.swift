/// Creates transports that may send second copies of slow transfers.
package protocol TransferHedger: AnyObject, Sendable {
  /// Returns a hedger without measurements, for a new agent.
  func forAgent() -> any TransferHedger
  /// Returns the transport of a dispatch.
  func transport(for transfers: HedgedTransfers) -> any HedgingTransport
}

/// The transport of a dispatch that may send second copies.
package protocol HedgingTransport: Transport {
  /// Returns the noted decision about a first transfer, and removes the note; `nil` without a note.
  func takeHedge() -> AttemptLoad.Hedge?
  /// Returns the decision about a request in words, for an explanation.
  func summary(of request: HTTPRequest) -> String
}

/// The transfers of a dispatch, for a ``TransferHedger``.
package struct HedgedTransfers: Sendable {
  /// The transport of the dispatch.
  package let transport: any Transport
  package let clock: AgentClock
  /// False if the request's own retry policy allows no retry.
  package let allowsCopies: Bool
  private let gate: CopyGate
  private let request: any Request

  init(of request: any Request, by gate: CopyGate, over transport: any Transport) {
    (self.transport, clock, self.gate, self.request) = (
      transport, gate.agent.configuration.clock, gate, request
    )
    let policy = request.retryPolicy
    allowsCopies = policy.isInherited || !policy.isOff
  }

  /// Returns the endpoint of a request; `nil` without an origin or a clear URL template.
  package func endpoint(of http: HTTPRequest) -> HedgedEndpoint? {
    guard let origin = OriginNumber(ofText: http.location.text)?.named(request.limitKey),
      let template = URLTemplate(of: request, sentTo: http.url)
    else { return nil }
    return HedgedEndpoint(
      name: "\(http.method) \(template.text)", origin: origin, overrideNumber: gate.overrideNumber)
  }

  /// Admits a copy of a request at once, or returns the reason against the copy.
  package func admitCopy(of request: TransportRequest) -> CopyAdmission { gate.admit(request) }
}

/// The requests with equal method, URL template, origin and limit key.
package struct HedgedEndpoint: Sendable, Hashable {
  /// A text such as `GET /users/{id}`.
  package let name: String
  let origin: OriginNumber
  let overrideNumber: UInt64
}

package enum CopyAdmission: Sendable {
  /// The copy holds a slot until the caller calls `end` once. The argument is `false` if the copy was not
  /// sent.
  case admitted(TransportRequest, end: @Sendable (_ wasSent: Bool) -> Void)
  /// The reason is a clause.
  case refused(String)
}

/// Admits copies at once, if circuit, slots, retry budget and rate limit of the origin allow.
struct CopyGate: Sendable {
  let agent: RequestAgent
  let limitKey: String?
  let overrideNumber: UInt64

  @inline(__always)
  static func transport(
    for request: some Request, of agent: RequestAgent, in entry: InFlight.Entry, over own: any Transport
  ) -> any Transport {
    // Pattern matching, because a comparison with `nil` would retain the hedger.
    if case .none = agent.configuration.hedger { return own }
    return hedged(request, of: agent, in: entry, over: own) ?? own
  }

  @inline(never)
  static func hedged(
    _ request: some Request, of agent: RequestAgent, in entry: InFlight.Entry, over transport: any Transport
  ) -> (any HedgingTransport)? {
    let gate = CopyGate(agent: agent, limitKey: request.limitKey, overrideNumber: entry.overrideNumber)
    return agent.configuration.hedger?.transport(
      for: HedgedTransfers(of: request, by: gate, over: transport))
  }

  func admit(_ request: TransportRequest) -> CopyAdmission {
    guard let origin = Origin(request.request.url),
      let number = OriginNumber(ofText: request.request.location.text)?.named(limitKey)
    else { return .refused("the URL has no origin") }
    let (key, states) = (
      OriginKey(origin: origin, name: limitKey, overrideNumber: overrideNumber), agent.origins.states
    )
    // A half-open circuit admits trial attempts, and counts each trial. A copy would not be counted.
    if let circuit = states.circuit(of: key), circuit.state != .closed {
      return .refused("the circuit of \(key.shownText) is not closed")
    }
    guard let lease = agent.slots.take(number, isExempt: false) else {
      return .refused("no slot of \(key.shownText) is free")
    }
    if states.withdrawRetry(to: key) != nil {
      lease.end()
      return .refused("the retry budget of \(key.shownText) is spent")
    }
    let now = states.clock.now()
    guard states.takeTokenIfFree(of: key) else {
      states.refundRetry(to: key)
      lease.end()
      return .refused("the rate limit of \(key.shownText) is reached")
    }
    var copy = request
    (copy.slot, copy.counter, copy.listener) = (lease, nil, nil)
    return .admitted(copy) { wasSent in
      if !wasSent {
        states.refundRetry(to: key)
        if states.rules.limit != nil { states.returnToken(of: key, takenAt: now) }
      }
      lease.end()
    }
  }
}

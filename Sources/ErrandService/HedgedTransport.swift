import Errand
import Foundation

/// A transport that may send a second copy of a slow transfer.
final class HedgedTransport: HedgingTransport {
  private struct State {
    /// True after the start of the attempt's first transfer.
    var hasSent = false
    var hedge: AttemptLoad.Hedge?
  }

  private let transfers: HedgedTransfers
  private let hedger: Hedger
  private let state = Locked(State())

  init(_ transfers: HedgedTransfers, by hedger: Hedger) {
    (self.transfers, self.hedger) = (transfers, hedger)
  }

  private var transport: any Transport { transfers.transport }

  var capabilities: TransportCapabilities { transport.capabilities }

  func resetConnections() { transport.resetConnections() }

  func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  func takeHedge() -> AttemptLoad.Hedge? {
    state.withLock { state in
      defer { state = State() }
      return state.hedge
    }
  }

  func summary(of request: HTTPRequest) -> String {
    switch decision(on: request, isBulk: false) {
    case .hedgeable(let endpoint):
      switch hedger.plan(for: endpoint) {
      case .copy(_, let reason): "a copy later, because \(reason)"
      case .none(let reason): "no copy, because \(reason)"
      }
    case .refused(let reason): "no copy, because \(reason)"
    }
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let isFirst = state.withLock { state in
      defer { state.hasSent = true }
      return !state.hasSent
    }
    guard isFirst else { return try await transport.send(request) }
    switch decision(on: request.request, isBulk: request.isBulk) {
    case .refused(let reason):
      note(AttemptLoad.Hedge(reason: reason))
      return try await transport.send(request)
    case .hedgeable(let endpoint):
      let plan = hedger.plan(for: endpoint)
      hedger.countRequest(to: endpoint)
      let race = CopyRace(of: request, to: endpoint, over: transfers, by: hedger)
      switch plan {
      case .none(let reason):
        note(AttemptLoad.Hedge(reason: reason))
        return try await race.runAlone()
      case .copy(let delay, let reason):
        let (result, hedge) = await race.run(AttemptLoad.Hedge(reason: reason, delay: delay))
        note(hedge)
        return try result.get()
      }
    }
  }

  private enum Decision {
    case hedgeable(HedgedEndpoint)
    /// No copy is sent; the text is a clause with the reason.
    case refused(String)
  }

  private func decision(on request: HTTPRequest, isBulk: Bool) -> Decision {
    if !request.method.isIdempotent { return .refused("\(request.method) is not idempotent") }
    if isBulk { return .refused("the response is a stream or a download") }
    if case .stream = request.body.content { return .refused("the body is a stream") }
    if !request.trailers.isEmpty { return .refused("the request has trailers") }
    if !transfers.allowsCopies { return .refused("the retry policy of the request allows no retry") }
    guard let endpoint = transfers.endpoint(of: request) else {
      return .refused("the URL has no clear template")
    }
    return .hedgeable(endpoint)
  }

  private func note(_ hedge: AttemptLoad.Hedge) { state.withLock { $0.hedge = hedge } }
}

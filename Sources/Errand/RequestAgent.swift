public import Foundation

/// Dispatches requests: the front door of Errand.
///
/// Everything is fixed when it is made: the transport, the hooks, the accessories and their order. An agent may be
/// used from any thread and isolation; any number of dispatches run at once, each with a state of its own. What a
/// dispatch goes through is stated in ``Stage``.
public final class RequestAgent: Sendable {
  let base: String?
  /// The base made ready; `nil` when each request has to judge it.
  let stem: URLStem?
  let transport: any Transport
  let hooks: [any RequestHooks]
  let accessories: [any Accessory]
  let configuration: Configuration
  let inFlight = InFlight()

  /// Makes an agent.
  ///
  /// - Parameters:
  ///   - baseURL: the base of requests without one; `nil` when every request has its own.
  ///   - transport: the wire; `nil` takes the platform's: `CurlTransport` on Linux. Elsewhere there is none yet, and
  ///     each request fails with ``RequestError/Kind/unsupported``.
  ///   - hooks: run in this order, after the request's own.
  ///   - accessories: run in this order, before the request's own.
  ///   - configuration: the rest.
  public convenience init(
    baseURL: URL? = nil, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: Configuration = Configuration()
  ) {
    self.init(
      base: baseURL?.absoluteString, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  /// Makes an agent of a base written as text.
  ///
  /// A bad one is never a trap: each request that needs it fails with ``RequestError/Kind/invalidURL``.
  public convenience init(
    baseURL: String, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: Configuration = Configuration()
  ) {
    self.init(
      base: baseURL, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  private init(
    base: String?, transport: (any Transport)?, hooks: [any RequestHooks],
    accessories: [any Accessory], configuration: Configuration
  ) {
    self.base = base
    stem = base.flatMap(URLStem.init)
    self.transport = transport ?? DefaultTransport.make()
    self.hooks = hooks
    self.accessories = accessories
    self.configuration = configuration
  }

  /// Dispatches a request and returns its value.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
  @discardableResult
  public func send<R: Request>(_ request: R) async throws -> R.Response {
    try await response(for: request).value
  }

  /// Dispatches a request and returns its value, the response, and the account of the dispatch.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
  public func response<R: Request>(for request: R) async throws -> Received<R.Response> {
    let entry = inFlight.enter()
    let ended = await withTaskCancellationHandler {
      await run(Dispatch(request, agent: self, entry: entry), completion: nil)
    } onCancel: {
      entry.signal.cancel(by: .task)
    }
    return try ended.received()
  }

  /// The lifecycle; ``Stage`` states it, and a test holds both against each other.
  func run<R: Request>(
    _ dispatch: Dispatch<R>, completion: (@Sendable (Outcome<R.Response>) async -> Void)?
  ) async -> Ended<R.Response> {
    defer { inFlight.remove(dispatch.entry) }

    var ledger = Ledger()
    await dispatch.tellWillStart()
    var outcome = await dispatch.attempts(&ledger)
    await dispatch.preprocess(outcome, ledger)
    await dispatch.tellWillStop(ledger)
    outcome = await dispatch.filter(outcome, ledger)
    await dispatch.completed(outcome, ledger)
    await completion?(outcome)
    let report = dispatch.report(outcome, ledger)
    await dispatch.tellDidStop(report, ledger)
    return Ended(
      outcome: outcome, report: report, response: ledger.response, source: dispatch.cancellation.source,
      redaction: configuration.redaction)
  }
}

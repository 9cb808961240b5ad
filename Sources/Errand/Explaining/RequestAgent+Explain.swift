import Foundation

extension RequestAgent {
  /// Returns an explanation of the first request of a dispatch; does not send the request.
  ///
  /// Calls the `filterRequest` hooks and, for a trusted origin, the authenticator. The authenticator is asked
  /// not to renew credentials.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task is cancelled.
  public func explain<R: Request>(_ request: R) async throws -> RequestExplanation {
    try await explain(request, isSent: false)
  }

  /// Returns an explanation of a request.
  ///
  /// With `isSent`, the authenticator may fetch and renew credentials, because the caller sends the request.
  package func explain<R: Request>(_ request: R, isSent: Bool) async throws -> RequestExplanation {
    try await Explaining.run(request, by: self, isSent: isSent) { try await $0.explanation() }
  }
}

/// A first attempt that ends before the request is sent.
struct Explaining<R: Request> {
  private let dispatch: Dispatch<R>
  private let isSent: Bool
  private let attempt: Attempt

  private init(_ dispatch: Dispatch<R>, isSent: Bool) {
    (self.dispatch, self.isSent) = (dispatch, isSent)
    attempt = Attempt(dispatch.context(attempt: 1), clock: dispatch.time.attempt(from: dispatch.time.started))
    // With `isSent`, the caller opens the file of a download.
    attempt.answer.destination = isSent ? nil : dispatch.file
  }

  static func run<Result>(
    _ request: R, by agent: RequestAgent, isSent: Bool, ask: (Explaining) async throws -> Result
  ) async throws -> Result {
    let dispatch = Dispatch.begin(request, by: agent)
    defer { OutcomeStage(dispatch: dispatch).end() }
    return try await withTaskCancellationHandler {
      try await ask(Explaining(dispatch, isSent: isSent))
    } onCancel: {
      dispatch.cancel(by: .task)
    }
  }

  func explanation() async throws -> RequestExplanation {
    let (request, agent) = (dispatch.request, dispatch.agent)
    let (http, observer) = try await prepared()
    let cached = await cacheSetting(http)
    return RequestExplanation(
      request: http, headerSources: observer.sources,
      settings: ExplainedSettings(request: request, agent: agent).all
        + LoadSettings(dispatch: dispatch).settings(for: http) + cached
        + fileSetting(behind: observer.keptByteCount) + withheldSetting,
      unusedProperties: UnusedProperties(of: request).clauses, redaction: attempt.context.redaction)
  }

  func lookup() async throws -> AgentCache.Lookup? {
    let http = try await prepared().http
    guard let cache = dispatch.wire.cache,
      let question = cache.question(http, identified: attempt.signature.identified)
    else {
      return nil
    }
    let decision = await cache.decision(question)
    guard let stored = decision.stored else { return nil }
    let answer = question.rules.given(
      stored, for: http.url,
      age: ExchangeReport.CacheVerdict(.cache, because: "", age: question.rules.age(stored)).age)
    var response = answer.head
    response.link.dispatched = attempt.context.dispatched
    for try await chunk in answer.body { response.body.append(chunk) }
    return AgentCache.Lookup(response: response, isUsable: decision.isUse, reason: decision.reason)
  }

  private func cacheSetting(_ http: HTTPRequest) async -> [RequestExplanation.Setting] {
    guard let cache = dispatch.wire.cache else { return [] }
    guard let question = cache.question(http, identified: attempt.signature.identified) else { return [] }
    let decision = await cache.decision(question)
    return [.init(name: "cached answer", value: "\(decision)", source: .standard)]
  }

  private func prepared() async throws -> (http: HTTPRequest, observer: HeaderObserver<R>) {
    let sender = dispatch.sender
    let observer = HeaderObserver(request: dispatch.request, agent: dispatch.agent, isSent: isSent)
    defer { attempt.clock.stop() }
    do {
      try dispatch.time.checkCancellation()
      try attempt.answer.destination?.check()
      let deadline = dispatch.time.passedDeadline ?? AmbientDeadline.current
      try await AmbientDeadline.$current.withValue(deadline) {
        try await sender.prepare(attempt, observer: observer)
      }
      return (try sender.prepared(attempt), observer)
    } catch {
      let outcome: Outcome<Void> = sender.outcome(of: error, in: attempt)
      var state = DispatchState()
      (state.attempt, state.stage) = (1, attempt.stage)
      throw outcome.error ?? dispatch.ended(outcome, on: state).cancellation
    }
  }

  private func fileSetting(behind count: Int64) -> [RequestExplanation.Setting] {
    guard let file = attempt.answer.destination else { return [] }
    let place = attempt.context.redaction.text(file.destination.path)
    let value = count == 0 ? place : "\(place), \(count) bytes already downloaded"
    return [.init(name: "file", value: value, source: .request)]
  }

  private var withheldSetting: [RequestExplanation.Setting] {
    let withheld = attempt.hops.withheld
    if withheld.isEmpty { return [] }
    let value = withheld.joined(separator: ", ") + ", because the origin is not trusted"
    return [.init(name: "withheld", value: value, source: .standard)]
  }
}

private final class HeaderObserver<R: Request>: PreparationObserver {
  let renewsNothing: Bool
  private let request: R
  private let agent: RequestAgent
  private(set) var keptByteCount: Int64 = 0
  private var noted = HeaderSources()

  init(request: R, agent: RequestAgent, isSent: Bool) {
    (self.request, self.agent, renewsNothing) = (request, agent, !isSent)
  }

  var sources: [RequestExplanation.Source] { noted.sources }

  func willResume(at count: Int64) { keptByteCount = count }

  func didRun(_ step: PreparationStep, on http: HTTPRequest) {
    switch step {
    case .build: noted = HeaderSources(of: http, for: request, by: agent)
    case .filterRequest: noted.note(http.headers, by: "filterRequest")
    case .hook(let hook): noted.note(http.headers, by: "\(type(of: hook))")
    case .completion: noted.finish(http.headers)
    case .deadline: noted.note(http.headers, by: .agent)
    case .cookies: noted.note(http.headers, by: .cookieStore)
    case .authenticate(let authenticator):
      noted.note(http.headers, by: .authenticator("\(type(of: authenticator))"))
    }
  }
}

extension HeaderSources {
  fileprivate init(of built: HTTPRequest, for request: some Request, by agent: RequestAgent) {
    let isOverridden = (request as? any RequestWrapper)?.overrides(\.headers) == true
    var own = request.customRequest?.headers ?? request.headers
    let written = ((request as? any RequestWrapper)?.wrapped ?? request).headers
    // The wrapped request does not have the headers set by `Request.with`.
    let overriding =
      isOverridden ? own.fields.filter { field in !written.fields.contains { $0.isSame(as: field) } } : []
    if request.idempotencyKey.isAsked { own.add(request.idempotencyKey.header, "") }
    var agents = agent.configuration.headers
    if agent.building.userAgent != PlatformHeaders.userAgent { agents["User-Agent"] = "" }
    if agent.configuration.acceptLanguage != PlatformHeaders.acceptLanguage { agents["Accept-Language"] = "" }
    self.init(built.headers, own: own, overriding: HTTPHeaders(overriding), agent: agents)
  }
}

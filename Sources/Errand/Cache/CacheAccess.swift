import Foundation

/// Connects a dispatch or a background refresh to a cache.
final class CacheAccess: Sendable {
  typealias Send = (HTTPRequest) async throws -> Sent

  struct Sent {
    let answer: TransportResponse
    /// True if a different dispatch started the transfer, and may store the response.
    var isShared = false
  }

  let cache: ResponseCache
  let policy: CachePolicy
  let clock: AgentClock
  private let refreshes: CacheRefreshes
  let transport: any Transport
  private let redaction: Redaction
  private let limits: TransferLimits

  private var entries: StoredEntries { StoredEntries(cache: cache) }

  private let state = Locked(CacheAccessState())

  init(
    _ cache: ResponseCache, policy: CachePolicy, clock: AgentClock, refreshes: CacheRefreshes,
    redaction: Redaction, limits: TransferLimits, transport: any Transport
  ) {
    (self.cache, self.policy, self.clock, self.refreshes) = (cache, policy, clock, refreshes)
    (self.redaction, self.limits, self.transport) = (redaction, limits, transport)
  }

  /// `nil`: the cache made no decision.
  var verdict: ExchangeReport.CacheVerdict? { state.withLock { $0.verdict } }

  // MARK: Questions

  func question(_ http: HTTPRequest, identified: IdentifiedRequest?) -> CacheQuestion? {
    guard policy.mode != .none, policy.covers(http.method) else { return nil }
    let client = ShownClient(http.url, by: transport)
    let partition = partition(of: http, signed: identified, client: client)
    return CacheQuestion(
      http, identified: identified, policy: policy, partition: partition, client: client, now: clock.date)
  }

  private func partition(
    of http: HTTPRequest, signed identified: IdentifiedRequest?, client: ShownClient
  ) -> String {
    CredentialPartition(http, signed: identified, redaction: redaction, client: client.identity).name
  }

  func decision(_ question: CacheQuestion) async -> CacheRules.Decision {
    question.rules.decide(await entries.matching(question))
  }

  /// Returns the decision of the cache.
  ///
  /// If the signal fires during a lookup on disk, decides as for an empty cache.
  private func decision(
    _ question: CacheQuestion, unless signal: CancellationSignal
  ) async -> CacheRules.Decision {
    if cache is MemoryCache { return await decision(question) }
    let decision = try? await signal.cancelling { await self.decision(question) }
    return decision ?? question.rules.decide([])
  }

  // MARK: Responses

  /// `check` throws after a cancellation or a timeout of the dispatch.
  func answer(
    to http: HTTPRequest, identified: IdentifiedRequest?, unless signal: CancellationSignal,
    check: () throws -> Void, send: Send,
    refresh: @escaping @Sendable (HTTPRequest, CancellationSignal) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    state.withLock { ($0.verdict, $0.place) = (nil, nil) }
    guard let question = question(http, identified: identified) else {
      if policy.mode == .cacheOnly {
        throw TransportError.uncached(
          .notAnswered, because: "the cache does not answer \(http.method) requests")
      }
      return try await passed(http, signed: identified, send: send)
    }
    let decision = await decision(question, unless: signal)
    try check()
    if isRefused(decision, for: question) {
      return try await fetched(
        for: question, orElse: nil, because: "the stored response was rejected", check: check, send: send)
    }
    switch decision {
    case .use(let stored, let verdict, let refreshes):
      note(verdict, at: StoredLocation(key: question.key, variant: stored.variant))
      if refreshes { begin(for: question, of: stored, refresh: refresh) }
      return question.rules.given(stored, for: question.http.url, age: verdict.age)
    case .fail(let miss, let reason): return try failed(http, by: miss, because: reason)
    case .revalidate(let stored, let conditions, let reason):
      return try await revalidated(
        stored, for: question, with: conditions, because: reason, check: check, send: send)
    case .fetch(let stored, let reason):
      return try await fetched(
        for: question, orElse: stored, because: reason, check: check, send: send)
    }
  }

  /// Sends a request without a lookup.
  ///
  /// For an unsafe method, a success or redirection removes stored responses (RFC 9111 section 4.4).
  private func passed(
    _ http: HTTPRequest, signed identified: IdentifiedRequest?, send: Send
  ) async throws -> TransportResponse {
    let (begun, client) = (clock.date, ShownClient(http.url, by: transport))
    // A removal during the transfer revokes the ticket, so the ticket is taken before the transfer.
    let key = StorageRules.readableKey(
      of: http, policy: policy, partition: partition(of: http, signed: identified, client: client))
    let ticket = key.map { refreshes.ticket($0, tags: policy.tags) }
    var answer = try await send(http).answer
    guard !http.method.isSafe else { return answer }
    for url in CacheKey.invalidated(by: answer.head, to: http.url, ignoring: policy.ignoredItems) {
      refreshes.revoke(url, except: ticket)
      await cache.removeAll(of: url)
    }
    guard let key, let ticket, client.isShown(by: transport),
      let response = StorageRules.readable(
        answer.head, to: http, policy: policy, requested: begun, now: clock.date)
    else { return answer }
    note(ExchangeReport.CacheVerdict(.network, because: "the cache does not answer \(http.method) requests"))
    await keep(&answer, as: response, for: key, by: ticket)
    return answer
  }

  private func failed(
    _ http: HTTPRequest, by miss: RequestError.CacheMiss, because reason: String
  ) throws -> TransportResponse {
    note(ExchangeReport.CacheVerdict(.nowhere, because: reason))
    if policy.mode == .cacheOnly { throw TransportError.uncached(miss, because: reason) }
    // `only-if-cached` without a usable response gets a 504 (RFC 9111 section 5.2.1.7).
    return TransportResponse(mock: HTTPResponse(status: 504, url: http.url))
  }

  private func isRefused(_ decision: CacheRules.Decision, for question: CacheQuestion) -> Bool {
    guard let stored = decision.stored else { return false }
    if decision.isUse, policy.mode == .cacheOnly || question.rules.asked.onlyIfCached { return false }
    return state.withLock {
      !$0.refused.isEmpty && $0.refused.contains(StoredLocation(key: question.key, variant: stored.variant))
    }
  }

  private func fetched(
    for question: CacheQuestion, orElse stored: CachedResponse?, because reason: String,
    check: () throws -> Void, send: Send
  ) async throws -> TransportResponse {
    note(ExchangeReport.CacheVerdict(.network, because: reason))
    let begun = begun(question)
    let sent: Sent
    switch try await sentOrStored(question.http, for: question, orElse: stored, send: send) {
    case .stored(let given): return given
    case .sent(let result): sent = result
    }
    try check()
    return await keeping(sent, for: question, begun: begun, whole: nil)
  }

  private func sentOrStored(
    _ http: HTTPRequest, for question: CacheQuestion, orElse stored: CachedResponse?, send: Send
  ) async throws -> SentOrStored {
    let sent: Sent
    do {
      sent = try await send(http)
    } catch {
      return .stored(try fallback(for: question, to: stored, after: error))
    }
    guard CacheRules.isFailure(sent.answer.head.status),
      let given = await fallback(for: question, to: stored, insteadOf: sent.answer)
    else { return .sent(sent) }
    return .stored(given)
  }

  private func revalidated(
    _ stored: CachedResponse, for question: CacheQuestion, with conditions: HTTPHeaders,
    because reason: String, check: () throws -> Void, send: Send
  ) async throws -> TransportResponse {
    note(ExchangeReport.CacheVerdict(.network, because: reason))
    let begun = begun(question)
    var asked = question.http
    asked.headers.merge(conditions)
    let sent: Sent
    switch try await sentOrStored(asked, for: question, orElse: stored, send: send) {
    case .stored(let given): return given
    case .sent(let result): sent = result
    }
    try check()
    let answer = sent.answer
    let rules = rulesNow(question)
    if answer.head.status == 304 {
      await answer.body.drain()
      if let given = await confirmed(
        stored, by: answer, for: question, begun: begun, because: reason)
      {
        return given
      }
    } else if stored.part != nil, question.client.isShown(by: transport),
      let whole = rules.storage.joined(stored, with: answer.head, requested: begun.date)
    {
      return await keeping(sent, for: question, begun: begun, whole: whole)
    } else if stored.part == nil || answer.head.status == 200 {
      return await keeping(sent, for: question, begun: begun, whole: nil)
    } else {
      await answer.body.drain()
    }
    let isShown = question.client.isShown(by: transport)
    // If the client identity has changed, the stored response may still be valid for the earlier identity.
    if isShown { await cache.remove(stored.variant, of: question.key) }
    return try await fetched(
      for: question, orElse: nil, because: isShown ? "the server has a newer response" : ShownClient.problem,
      check: check, send: send)
  }

  private func confirmed(
    _ stored: CachedResponse, by answer: TransportResponse, for question: CacheQuestion, begun: QuestionStart,
    because reason: String
  ) async -> TransportResponse? {
    let rules = rulesNow(question)
    guard question.client.isShown(by: transport),
      let updated = rules.storage.updated(stored, by: answer.head, requested: begun.date)
    else { return nil }
    var given = await given(
      updated, for: question, under: rules, ticket: begun.ticket, because: reason)
    if rules.method != .head { given.body = updated.body.stream(with: answer.body) }
    return given
  }

  private func given(
    _ updated: CachedResponse, for question: CacheQuestion, under rules: CacheRules, ticket: CacheTicket,
    because reason: String
  ) async -> TransportResponse {
    var verdict = ExchangeReport.CacheVerdict(.revalidated, because: reason, age: rules.age(updated))
    if updated.directives.noStore, !updated.directives.mustUnderstand {
      await cache.remove(updated.variant, of: question.key)
      verdict.storing = "not stored: no-store"
    } else {
      verdict.storing = await entries.update(updated, for: question.key, by: ticket)
    }
    note(verdict, at: StoredLocation(key: question.key, variant: updated.variant))
    return rules.given(updated, for: question.http.url, age: nil)
  }

  // MARK: Failures

  private func fallback(
    for question: CacheQuestion, to stored: CachedResponse?, after error: any Error
  ) throws -> TransportResponse {
    guard let stored, let failure = error as? TransportError, failure.isOfNetwork else { throw error }
    let hiding = (question.http.link.own ?? redaction).hidingCredentials(of: question.http)
    guard let verdict = rulesNow(question).fallback(stored, after: hiding.text(failure.message)) else {
      throw error
    }
    note(verdict, at: StoredLocation(key: question.key, variant: stored.variant))
    return question.rules.given(stored, for: question.http.url, age: verdict.age)
  }

  private func fallback(
    for question: CacheQuestion, to stored: CachedResponse?, insteadOf answer: TransportResponse
  ) async -> TransportResponse? {
    guard
      let verdict = rulesNow(question).fallback(stored, after: "the server answered \(answer.head.status)"),
      let stored
    else { return nil }
    // Cancelled and not drained, because the body of the error response may be endless.
    answer.body.cancel()
    note(verdict, at: StoredLocation(key: question.key, variant: stored.variant))
    return question.rules.given(stored, for: question.http.url, age: verdict.age)
  }

  // MARK: Storing

  /// Stores a response, if the rules allow, and returns the response for the dispatch.
  ///
  /// `whole` has the head of the complete response, and the stored part of the body. `nil`: the response
  /// does not complete a stored part.
  private func keeping(
    _ sent: Sent, for question: CacheQuestion, begun: QuestionStart, whole: CachedResponse?
  ) async -> TransportResponse {
    var answer = sent.answer
    let rules = rulesNow(question)
    guard question.client.isShown(by: transport) else {
      note(storing: "not stored: \(ShownClient.problem)")
      return answer
    }
    if rules.method == .head {
      await change { [entries, head = answer.head] in
        await entries.refresh(byHead: head, for: question, under: rules, begun: begun)
      }
      return answer
    }
    if answer.head.status == 304 {
      let storing = await entries.refresh(by: answer.head, for: question, under: rules, begun: begun)
      if let storing { note(storing: storing) }
      return answer
    }
    var keeping = rules.storage.keep(answer.head, requested: begun.date)
    if let whole {
      if case .store = keeping { keeping = .store(whole) }
      answer.prepend(whole)
    }
    switch keeping {
    case .leave(let reason):
      note(storing: "not stored: \(reason)")
      // If the cache does not store a successful response, earlier stored responses may be outdated.
      if answer.head.status.isSuccess { await change { [entries] in await entries.removeMatching(question) } }
    case .store(let response):
      if sent.isShared {
        note(storing: "left to the dispatch that started the transfer")
      } else {
        await keep(&answer, as: response, for: question.key, by: begun.ticket)
      }
    }
    return answer
  }

  private func keep(
    _ answer: inout TransportResponse, as response: CachedResponse, for key: CacheKey, by ticket: CacheTicket
  ) async {
    guard let writer = await cache.writer(for: response, key: key) else {
      await change { [cache] in await cache.remove(response.variant, of: key) }
      return note(storing: "not stored: the cache has no room for the response")
    }
    let (cache, variant) = (cache, response.variant)
    var keeper: any CachedBodyWriter = WatchedWriter(writer, ticket: ticket) {
      await cache.remove(variant, of: key)
    }
    if policy.mode == .networkElseCache {
      let late = DeferredWriter(keeper) { [weak self] in self?.note(storing: $0) }
      state.withLock { $0.changes.append { await late.accept() } }
      keeper = late
    } else {
      state.withLock { $0.place = StoredLocation(key: key, variant: variant) }
    }
    answer.body = BodyStream(
      CachingBody(answer.body, writer: keeper, length: response.part?.range.count) { [weak self] problem in
        self?.note(storing: CachingBody.verdict(problem))
      })
  }

  /// Changes the cache.
  ///
  /// With `networkElseCache`, the change waits for `accept()`. Before `accept()`, the response may be the
  /// sign-in page of a Wi-Fi network.
  private func change(_ change: @escaping CacheAccessState.Change) async {
    guard policy.mode == .networkElseCache else { return await change() }
    state.withLock { $0.changes.append(change) }
  }

  func accept() async {
    for change in state.withLock({ $0.takeChanges() }) { await change() }
  }

  func forget(after stage: Stage, isSuccess: Bool) async {
    let dropped = state.withLock { $0.takeChanges() }
    guard [.validate, .filterResponse, .decode].contains(stage) else { return }
    if !dropped.isEmpty { return note(storing: "not stored: the response was rejected at \(stage)") }
    let place = state.withLock { state in
      if let place = state.place { state.refused.insert(place) }
      return state.place
    }
    guard let place, isSuccess || stage == .decode || policy.pin != nil else { return }
    await cache.remove(place.variant, of: place.key)
    note(storing: "removed: the response was rejected at \(stage)")
  }

  // MARK: Background refresh

  private func begin(
    for question: CacheQuestion, of stored: CachedResponse,
    refresh: @escaping @Sendable (HTTPRequest, CancellationSignal) async throws -> TransportResponse
  ) {
    // A separate access leaves the verdict of the dispatch unchanged.
    let access = CacheAccess(
      cache, policy: policy, clock: clock, refreshes: refreshes, redaction: redaction, limits: limits,
      transport: transport)
    refreshes.begin(
      question.key, within: limits.attemptTimeout, by: clock
    ) { signal in
      await access.refresh(stored, for: question) { Sent(answer: try await refresh($0, signal)) }
    }
  }

  private func refresh(_ stored: CachedResponse, for question: CacheQuestion, send: Send)
    async
  {
    do {
      var status = HTTPResponse.Status(0)
      let send: Send = { http in
        let sent = try await send(http)
        status = sent.answer.head.status
        return sent
      }
      let answer =
        switch question.rules.ask(stored, because: "the stored response is refreshed") {
        case .revalidate(_, let conditions, let reason):
          try await revalidated(
            stored, for: question, with: conditions, because: reason, check: {}, send: send)
        default:
          try await fetched(
            for: question, orElse: nil, because: "the stored response is refreshed", check: {}, send: send)
        }
      try await answer.body.readToEnd(limit: limits.bodySize)
      // A redirection or a permanent client error suggests that the stored response is outdated.
      if (300..<500).contains(status.code), status != 304,
        !RetryableStatuses.ofRequest.contains(status.code), question.client.isShown(by: transport)
      {
        await cache.remove(stored.variant, of: question.key)
      }
    } catch {
      // A later dispatch may try again.
    }
  }

  private func begun(_ question: CacheQuestion) -> QuestionStart {
    QuestionStart(date: clock.date, ticket: refreshes.ticket(question.key, tags: policy.tags))
  }

  private func rulesNow(_ question: CacheQuestion) -> CacheRules { question.rules.at(clock.date) }

  private func note(_ verdict: ExchangeReport.CacheVerdict, at place: StoredLocation? = nil) {
    state.withLock { ($0.verdict, $0.place) = (verdict, place) }
  }

  private func note(storing: String) { state.withLock { $0.verdict?.storing = storing } }
}

private enum SentOrStored {
  case sent(CacheAccess.Sent)
  case stored(TransportResponse)
}

import Foundation

/// How one dispatch uses the cache of its agent: it asks the rules, does what they say, and remembers what came of it.
final class CacheAccess: Sendable {
  /// Sends a request over the wire.
  typealias Send = (HTTPRequest) async throws -> Sent

  /// What the wire gave.
  struct Sent {
    let answer: TransportResponse
    /// Whether another dispatch began the transfer: that one stores it.
    var isShared = false
  }

  let cache: any ResponseCache
  let policy: CachePolicy
  private let clock: AgentClock
  private let refreshes: CacheRefreshes
  private let redaction: Redaction
  /// How much of a body may come, in bytes.
  private let bodyLimit: Int?

  private struct State {
    var verdict: CacheVerdict?
    /// Where the last answer is stored, or is about to be.
    var place: Place?
  }

  /// Where an answer is found again.
  private struct Place: Sendable {
    let key: CacheKey
    let variant: String
  }

  // Guard of both: its lock.
  private let state = Locked(State())

  init(
    _ cache: any ResponseCache, _ policy: CachePolicy, _ clock: AgentClock, _ refreshes: CacheRefreshes,
    _ redaction: Redaction, bodyLimit: Int?
  ) {
    (self.cache, self.policy, self.clock, self.refreshes) = (cache, policy, clock, refreshes)
    (self.redaction, self.bodyLimit) = (redaction, bodyLimit)
  }

  /// What the cache did for the answer that came last; `nil` where it had nothing to do with it.
  var verdict: CacheVerdict? { state.withLock { $0.verdict } }

  // MARK: The questions

  /// A request as the cache sees it.
  struct Question: Sendable {
    let key: CacheKey
    let rules: CacheRules
  }

  /// What the cache is asked for a request; `nil` where it has nothing to do with it.
  ///
  /// - Parameters:
  ///   - http: as it is sent.
  ///   - signature: what the authenticator did with it.
  func question(_ http: HTTPRequest, _ signature: Signature) -> Question? {
    guard policy.mode != .none, policy.covers(http.method) else { return nil }
    let partition = CredentialPartition(http, signature, redaction).name
    guard let key = CacheKey(http, policy, partition: partition) else { return nil }
    // What an authenticator that told its identity put in tells no answers apart: the key does.
    let identified = signature.identified.flatMap { $0.identity == nil ? nil : $0 }
    let seen = identified?.unsigned ?? http
    return Question(key: key, rules: CacheRules(seen, policy, now: clock.date))
  }

  /// What would be done for a request now, without doing it.
  func decision(_ question: Question) async -> CacheRules.Decision {
    question.rules.decide(await cache.responses(for: question.key))
  }

  // MARK: The answers

  /// Answers from the cache, or by the wire and keeps what it gives.
  ///
  /// - Parameters:
  ///   - check: throws where the dispatch has ended meanwhile.
  ///   - send: asks the server.
  ///   - refresh: asks it for an answer that no dispatch waits for.
  func answer(
    to http: HTTPRequest, _ signature: Signature, check: () throws -> Void, send: Send,
    refresh: @escaping @Sendable (HTTPRequest, CancellationSignal) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    state.withLock { $0 = State() }
    guard let question = question(http, signature) else { return try await passed(http, signature, send) }
    let decision = await decision(question)
    try check()
    switch decision {
    case .use(let stored, let verdict, let refreshes):
      note(verdict, Place(key: question.key, variant: stored.variant))
      if refreshes { begin(question, stored, http, refresh) }
      return question.rules.given(stored, http.url, age: verdict.age)
    case .fail(let reason): return try failed(http, reason)
    case .revalidate(let stored, let conditions, let reason):
      return try await revalidated(question, http, stored, conditions, reason, check, send)
    case .fetch(let stored, let reason):
      return try await fetched(question, http, stored, reason, check, send)
    }
  }

  /// A request that the cache does not answer: a change takes what it makes invalid out of it.
  private func passed(
    _ http: HTTPRequest, _ signature: Signature, _ send: Send
  ) async throws -> TransportResponse {
    let begun = clock.date
    var answer = try await send(http).answer
    guard !http.method.isSafe else { return answer }
    for url in CacheRules.invalidated(by: answer.head, to: http.url) { await cache.removeAll(of: url) }
    let partition = CredentialPartition(http, signature, redaction).name
    guard
      let (key, response) = CacheRules.readable(
        answer.head, to: http, policy, partition: partition, requested: begun, now: clock.date)
    else { return answer }
    note(CacheVerdict(.network, "\(http.method) is not answered from the cache"))
    await keep(&answer, response, key)
    return answer
  }

  private func failed(_ http: HTTPRequest, _ reason: String) throws -> TransportResponse {
    note(CacheVerdict(.network, reason))
    if policy.mode == .cacheOnly {
      throw TransportError(.notCached, "the cache has no answer, and nothing else was to be asked: \(reason)")
    }
    // RFC 9111 section 5.2.1.7.
    return TransportResponse(mock: HTTPResponse(status: 504, url: http.url))
  }

  private func fetched(
    _ question: Question, _ http: HTTPRequest, _ stored: CachedResponse?, _ reason: String,
    _ check: () throws -> Void,
    _ send: Send
  ) async throws -> TransportResponse {
    note(CacheVerdict(.network, reason))
    let begun = clock.date
    let sent: Sent
    do {
      sent = try await send(http)
    } catch {
      return try fallback(question, http, stored, after: error)
    }
    let answer = sent.answer
    if CacheRules.isFailure(answer.head.status),
      let given = await fallback(question, http, stored, insteadOf: answer)
    {
      return given
    }
    try check()
    return await keeping(sent, question, begun, whole: nil)
  }

  private func revalidated(
    _ question: Question, _ http: HTTPRequest, _ stored: CachedResponse, _ conditions: HTTPHeaders,
    _ reason: String,
    _ check: () throws -> Void, _ send: Send
  ) async throws -> TransportResponse {
    note(CacheVerdict(.network, reason))
    let begun = clock.date
    var asked = http
    asked.headers.merge(conditions)
    let sent: Sent
    do {
      sent = try await send(asked)
    } catch {
      return try fallback(question, http, stored, after: error)
    }
    let answer = sent.answer
    if CacheRules.isFailure(answer.head.status),
      let given = await fallback(question, http, stored, insteadOf: answer)
    {
      return given
    }
    try check()
    let rules = rulesNow(question)
    if answer.head.status == 304 {
      await drain(answer.body)
      if let updated = rules.updated(stored, by: answer.head, requested: begun) {
        var given = await given(updated, question, rules, http, reason)
        // The transfer was that of the question.
        if let body = try? updated.body.data(), rules.method != .head {
          given.body = BodyStream(body, summary: answer.body.summary)
        }
        return given
      }
    } else if stored.part != nil, let whole = rules.joined(stored, with: answer.head, requested: begun) {
      return await keeping(sent, question, begun, whole: whole)
    } else if stored.part == nil || answer.head.status == 200 {
      return await keeping(sent, question, begun, whole: nil)
    } else {
      await drain(answer.body)
    }
    // What was asked about is not what the server has: once more, for the whole.
    await cache.remove(stored.variant, of: question.key)
    return try await fetched(question, http, nil, "the server has another by now", check, send)
  }

  /// A stored answer that the server has confirmed.
  private func given(
    _ updated: CachedResponse, _ question: Question, _ rules: CacheRules, _ http: HTTPRequest,
    _ reason: String
  ) async -> TransportResponse {
    var verdict = CacheVerdict(.revalidated, reason, age: rules.age(updated))
    if updated.directives.noStore, !updated.directives.mustUnderstand {
      await cache.remove(updated.variant, of: question.key)
      verdict.storing = "not stored: no-store"
    } else {
      verdict.storing = await cache.store(updated, for: question.key).map { "not stored: \($0)" } ?? "updated"
    }
    note(verdict, Place(key: question.key, variant: updated.variant))
    return rules.given(updated, http.url, age: nil)
  }

  // MARK: Failures

  private func fallback(
    _ question: Question, _ http: HTTPRequest, _ stored: CachedResponse?, after error: any Error
  ) throws -> TransportResponse {
    guard let failure = error as? TransportError, failure.isOfNetwork,
      let verdict = rulesNow(question).fallback(stored, after: failure.message), let stored
    else { throw error }
    note(verdict, Place(key: question.key, variant: stored.variant))
    return question.rules.given(stored, http.url, age: verdict.age)
  }

  private func fallback(
    _ question: Question, _ http: HTTPRequest, _ stored: CachedResponse?, insteadOf answer: TransportResponse
  ) async -> TransportResponse? {
    guard
      let verdict = rulesNow(question).fallback(stored, after: "the server answered \(answer.head.status)"),
      let stored
    else { return nil }
    await drain(answer.body)
    note(verdict, Place(key: question.key, variant: stored.variant))
    return question.rules.given(stored, http.url, age: verdict.age)
  }

  // MARK: Keeping

  /// The answer, whose body is stored while it is read.
  ///
  /// - Parameter whole: what it makes with what was stored; `nil` where it stands alone.
  private func keeping(
    _ sent: Sent, _ question: Question, _ begun: Date, whole: CachedResponse?
  ) async -> TransportResponse {
    var answer = sent.answer
    let rules = rulesNow(question)
    if let whole {
      answer.head = HTTPResponse(status: whole.status, headers: whole.headers, url: answer.head.url)
      answer.body = BodyStream(JoinedBody(whole.body.stream, answer.body))
    }
    if rules.method == .head {
      await take(headOf: answer.head, question, rules, begun)
      return answer
    }
    if answer.head.status == 304 {
      await freshen(by: answer.head, question, rules, begun)
      return answer
    }
    switch whole.map(CacheRules.Keeping.store) ?? rules.keep(answer.head, requested: begun) {
    case .leave(let reason):
      note(storing: "not stored: \(reason)")
      // An answer that may not be kept says that what is there is old.
      if answer.head.status.isSuccess { await removeMatching(question) }
    case .store(let response):
      if sent.isShared {
        note(storing: "stored by the dispatch that began the transfer")
      } else {
        await keep(&answer, response, question.key)
      }
    }
    return answer
  }

  /// Lets the body be stored while it is read.
  private func keep(_ answer: inout TransportResponse, _ response: CachedResponse, _ key: CacheKey) async {
    guard let writer = await cache.writer(for: response, key: key) else {
      return note(storing: "not stored: the cache has no room for it")
    }
    state.withLock { $0.place = Place(key: key, variant: response.variant) }
    answer.body = BodyStream(
      KeptBody(answer.body, writer, length: response.part?.range.count) { [weak self] problem in
        self?.note(storing: problem.map { "not stored: \($0)" } ?? "stored")
      })
  }

  private func removeMatching(_ question: Question) async {
    for stored in await cache.responses(for: question.key)
    where question.rules.matches(stored)
      && question.rules.policy.pin.map({ stored.pin?.isSame(as: $0) == true })
        ?? (stored.pin == nil)
    {
      await cache.remove(stored.variant, of: question.key)
    }
  }

  /// Brings what is stored up to date by a 304 to conditions of the asker's own (RFC 9111 section 4.3.4).
  private func freshen(by head: HTTPResponse, _ question: Question, _ rules: CacheRules, _ begun: Date) async
  {
    guard policy.pin == nil, let tag = head.headers["ETag"] else { return }
    for stored in await cache.responses(for: question.key)
    where stored.pin == nil && rules.matches(stored) && stored.headers["ETag"] == tag {
      guard let updated = rules.updated(stored, by: head, requested: begun) else { continue }
      note(storing: await cache.store(updated, for: question.key).map { "not stored: \($0)" } ?? "updated")
    }
  }

  /// Brings what is stored up to date by an answer to `HEAD`.
  private func take(headOf head: HTTPResponse, _ question: Question, _ rules: CacheRules, _ begun: Date) async
  {
    guard head.status == 200, policy.pin == nil else { return }
    for stored in await cache.responses(for: question.key) where stored.pin == nil && rules.matches(stored) {
      if let updated = rules.updated(stored, byHead: head, requested: begun) {
        _ = await cache.store(updated, for: question.key)
      } else {
        await cache.remove(stored.variant, of: question.key)
      }
    }
  }

  /// Takes out what could not be decoded, or under a fixed time what was refused: it would be given again.
  func forget(after stage: Stage) async {
    guard stage == .decode || policy.pin != nil && [.validate, .filterResponse].contains(stage) else {
      return
    }
    guard let place = state.withLock({ $0.place }) else { return }
    await cache.remove(place.variant, of: place.key)
    note(storing: "removed: it was refused at \(stage)")
  }

  // MARK: Behind a stored answer

  private func begin(
    _ question: Question, _ stored: CachedResponse, _ http: HTTPRequest,
    _ refresh: @escaping @Sendable (HTTPRequest, CancellationSignal) async throws -> TransportResponse
  ) {
    // With a verdict of its own, as that of the dispatch stands.
    let access = CacheAccess(cache, policy, clock, refreshes, redaction, bodyLimit: bodyLimit)
    refreshes.begin(question.key) { signal in
      await access.refresh(question, stored, http) { Sent(answer: try await refresh($0, signal)) }
    }
  }

  private func refresh(_ question: Question, _ stored: CachedResponse, _ http: HTTPRequest, _ send: Send)
    async
  {
    do {
      let answer =
        switch question.rules.ask(stored, "it is brought up to date") {
        case .revalidate(_, let conditions, let reason):
          try await revalidated(question, http, stored, conditions, reason, {}, send)
        default: try await fetched(question, http, nil, "it is brought up to date", {}, send)
        }
      try await finish(answer.body, limit: bodyLimit)
    } catch {
      // What is stored stays, and the next who asks tries again.
    }
  }

  // MARK: Small things

  /// The rules at this moment.
  private func rulesNow(_ question: Question) -> CacheRules { question.rules.at(clock.date) }

  /// Reads what belongs to an answer that is not given: a little of it, so that its connection can be used again.
  private func drain(_ body: BodyStream) async {
    var count = 0
    do {
      for try await chunk in body {
        count += chunk.count
        if count > 65_536 { return body.cancel() }
      }
    } catch {}
  }

  /// Reads what is to be stored, as far as it may come.
  private func finish(_ body: BodyStream, limit: Int?) async throws {
    var count = 0
    for try await chunk in body {
      count += chunk.count
      if let limit, count > limit { return body.cancel() }
    }
  }

  private func note(_ verdict: CacheVerdict, _ place: Place? = nil) {
    state.withLock { $0 = State(verdict: verdict, place: place) }
  }

  private func note(storing: String) { state.withLock { $0.verdict?.storing = storing } }
}

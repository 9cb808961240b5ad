import Foundation

extension Dispatch {
  func build(_ attempt: inout Attempt, _ context: inout RequestContext) throws -> HTTPRequest {
    var builder = RequestBuilder(agent: agent, context: context, substitute: substitute)
    var http = try builder.build(request)
    if builder.isElsewhere { (context.hasLeftOrigin, attempt.withheld) = (true, builder.withheld) }
    try idempotency?.add(to: &http)
    return http
  }

  /// The hooks' turn, then the last check: what is sent is what the attempt remembers.
  @inline(__always)
  func filterRequest(
    _ http: inout HTTPRequest, built: HTTPRequest, _ attempt: inout Attempt, _ context: RequestContext
  ) async throws {
    defer { attempt.request = http }
    try await request.filterRequest(&http, context: context)
    for hook in agent.hooks {
      try check(attempt.watch)
      try await hook.filterRequest(&http, context: context)
    }
    try check(attempt.watch)
    try RequestBuilder(agent: agent, context: context, substitute: substitute).finish(&http, built: built)
    context.dispatched.note(http)
  }

  /// The authenticator's turn, after the waits for others, then the circuit's, which its wait may have opened, then the
  /// accessories': what they see is sent.
  @inline(__always)
  func seal(_ http: inout HTTPRequest, _ attempt: inout Attempt, _ context: RequestContext) async throws {
    if authenticator != nil || !accessories.isEmpty {
      try await SlotHold.holding(&attempt) { try await sealAsAsked(&http, &$0, context) }
    } else if attempt.pass != nil {
      try enterCircuit(&attempt)
    }
  }

  @inline(never)
  private func sealAsAsked(
    _ http: inout HTTPRequest, _ attempt: inout Attempt, _ context: RequestContext
  ) async throws {
    if let authenticator {
      defer { attempt.request = http }
      try await authenticate(&http, by: authenticator, &attempt, context)
    }
    if attempt.pass != nil { try enterCircuit(&attempt) }
    guard !accessories.isEmpty else { return }
    for accessory in accessories { await accessory.attemptWillSend(http, context: context) }
    try check(attempt.watch)
  }

  @inline(__always)
  func transport(
    _ http: HTTPRequest, _ attempt: inout Attempt, _ context: RequestContext
  ) async throws -> TransportResponse {
    if agent.configuration.allowsMocks, let mock = try await mock(http, &attempt, context) { return mock }
    if URLParts.isData(http.url.absoluteString) { return try Self.dataAnswer(to: http.url) }
    if coalescing != .none, let answer = try await sharedAnswer(to: http, &attempt) { return answer }
    var sent = TransportRequest(
      http, timeout: request.timeout, limits: limits, priority: priority,
      cancellation: attempt.watch?.signal ?? cancellation, suspension: suspension)
    sent.wantsFreshConnection = attempt.wantsFreshConnection
    return try await (substitute ?? agent.transport).send(sent)
  }

  @inline(never)
  private static func dataAnswer(to url: URL) throws -> TransportResponse {
    let response = try DataURL.response(for: url)
    var head = response
    head.body = Data()
    return TransportResponse(head: head, body: BodyStream(response.body))
  }

  /// Judges the head, reads the body as far as it is wanted, and judges the whole.
  @inline(__always)
  func receive(
    _ answer: TransportResponse, _ attempt: inout Attempt, _ context: RequestContext
  ) async throws -> HTTPResponse {
    let signal = attempt.watch?.signal ?? cancellation
    let ending = answer.body.isWhole ? nil : signal.onCancel { [body = answer.body] in body.cancel() }
    defer { ending.map(signal.removeHandler) }
    let validators = request.validators
    try await judge(answer, by: validators, &attempt, context)

    attempt.stage = .transport
    try await read(answer.body, into: &attempt, limit: .max)
    endTransfer(&attempt)
    try check(attempt.watch)

    attempt.stage = .validate
    let response = attempt.response ?? answer.head
    for validator in validators { try validator.validate(response, context: context) }
    return response
  }

  /// Lets the validators judge the head; the body of a refused one is read as far as its error wants it.
  @inline(__always)
  func judge(
    _ answer: TransportResponse, by validators: [any ResponseValidator], _ attempt: inout Attempt,
    _ context: RequestContext
  ) async throws {
    var response = answer.head
    response.url = response.url ?? attempt.request?.url
    response.link.dispatched = context.dispatched
    attempt.response = response
    try check(attempt.watch)

    attempt.stage = .validate
    for validator in validators {
      switch validator.judge(head: response, context: context) {
      case .accepted: continue
      case .refused(let error):
        answer.body.cancel()
        throw error
      case .refusedWithBody(let error):
        throw await refusal(error, by: validator, answer.body, &attempt, context)
      }
    }
  }

  /// What a validator makes of a refusal with the body.
  @inline(never)
  private func refusal(
    _ error: any Error, by validator: any ResponseValidator, _ body: BodyStream, _ attempt: inout Attempt,
    _ context: RequestContext
  ) async -> any Error {
    try? await read(body, into: &attempt, limit: RequestError.bodyLimit)
    endTransfer(&attempt)
    guard let response = attempt.response else { return error }
    return await validator.refusal(error, of: response, context: context)
  }

  /// Reads the body into the attempt, so that a failure keeps what came, and gives it up past the limit.
  @inline(__always)
  private func read(_ body: BodyStream, into attempt: inout Attempt, limit: Int) async throws {
    defer {
      attempt.metrics = body.summary.metrics
      attempt.response?.trailers = body.summary.trailers
    }
    try await rest(attempt.watch)
    for try await chunk in body {
      if attempt.response?.body.isEmpty == true {
        attempt.response?.body = chunk
      } else {
        attempt.response?.body.append(chunk)
      }
      let count = attempt.response?.body.count ?? 0
      if let bound = limits.bodySize, count > bound {
        body.cancel()
        throw TransportError.bodyTooLong(bound)
      }
      if count >= limit {
        body.cancel()
        return
      }
      try await rest(attempt.watch)
    }
  }

  @inline(__always)
  func filterResponse(
    _ response: inout HTTPResponse, _ attempt: Attempt, _ context: RequestContext
  ) async throws {
    try await request.filterResponse(&response, context: context)
    for hook in agent.hooks {
      try check(attempt.watch)
      try await hook.filterResponse(&response, context: context)
    }
    response.link.dispatched = context.dispatched
    try check(attempt.watch)
  }
}

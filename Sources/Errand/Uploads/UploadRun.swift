import Foundation

/// A running upload, or the deletion of an upload; used by a single task.
final class UploadRun<R: Request> {
  private static var longestWait: Duration { .seconds(600) }

  private let agent: RequestAgent
  private let request: R
  private let dialect: any UploadDialect
  private let reporter: UploadProgressReporter?
  private let stateChanged: (@Sendable (UploadProtocol.State) async -> Void)?
  /// ``RequestAgent/cancelAll()`` cancels the signal of the entry.
  private let entry: InFlight.Entry
  private var state: UploadProtocol.State?
  /// True if the next message must ask the server for the offset.
  private var isAsking: Bool
  private var serverKnowsLength: Bool
  private var failureLimit: UploadFailureLimit
  /// False until the server confirms the offset of a stored state.
  private var isOffsetConfirmed: Bool
  /// The end of the sent bytes; `nil` if an earlier run may have sent bytes.
  private var sentEnd: Int64?
  private var attempt = 1
  /// The URL of the last exchange before redirects.
  private var sentURL: URL?
  /// The secrets of the whole body, because a single chunk may not show which bytes are secret.
  private var bodySecrets: [Secret] = []

  init(
    agent: RequestAgent, request: R, by dialect: any UploadDialect, resuming state: UploadProtocol.State?,
    maxFailures: Int = 0, progress: (@Sendable (TransferProgress) -> Void)? = nil,
    stateChanged: (@Sendable (UploadProtocol.State) async -> Void)? = nil
  ) {
    (self.agent, self.request, self.dialect, self.state) = (agent, request, dialect, state)
    (failureLimit, self.stateChanged) = (UploadFailureLimit(most: maxFailures), stateChanged)
    reporter = progress.map { UploadProgressReporter(clock: agent.configuration.clock, report: $0) }
    (isAsking, serverKnowsLength, isOffsetConfirmed) = (state != nil, state?.length != nil, state == nil)
    self.state?.offset = max(state?.offset ?? 0, 0)
    entry = agent.groups.enter()
  }

  deinit { agent.groups.remove(entry) }

  func upload(_ body: RequestBody) async throws -> UploadProtocol.Receipt {
    let source: any UploadSource = try checked(nil, at: .build) { try self.source(of: body) }
    if source.length == 0, source.stamp != nil { try await readEmptyFile(body) }
    while true {
      do {
        return try await send(source, type: body.contentType)
      } catch let error as RequestError {
        try await recover(from: error)
      }
    }
  }

  /// Throws if a file with a reported length of 0 has data, as files under `/proc` may have.
  private func readEmptyFile(_ body: RequestBody) async throws {
    do {
      if let chunks = body.replay { for try await _ in chunks {} }
    } catch let problem as TransportError {
      throw error(Refusal(problem.message, kind: problem.kind, cause: problem), at: .build)
    }
  }

  func cancel() async throws {
    guard let state else { return }
    try checked(nil, at: .build) { try check(state) }
    do {
      _ = try await exchange(step(dialect.cancellation(), from: state))
    } catch let error as RequestError {
      guard let status = error.status, dialect.isForgotten(status) else { throw error }
    }
  }

  private func source(of body: RequestBody) throws -> any UploadSource {
    try dialect.check()
    if body.isAutomatic { throw Refusal("there is no body to upload", kind: .invalidRequest) }
    let method = request.customRequest?.method ?? request.method
    if method.putsParametersInQuery {
      throw Refusal(
        "\(method) cannot start an upload: use another method, such as POST",
        kind: .invalidRequest)
    }
    if !(request.customRequest?.trailers ?? request.trailers).isEmpty {
      throw Refusal(
        "the request has trailers, which an upload of several requests cannot send", kind: .unsupported)
    }
    if !dialect.startMayHaveBody, hasOwnBody {
      throw Refusal(
        "the request has its own body, but an upload by \(dialect.name) starts without a body",
        kind: .invalidRequest)
    }
    let coding = request.jsonCoding ?? agent.configuration.jsonCoding
    let prepared = try body.prepared { coding }
    bodySecrets = secrets(of: body, prepared: prepared)
    let source = prepared.uploadSource(expecting: state?.length)
    guard let state else { return source }
    try check(state)
    let isSameLength = (state.length ?? source.length) == (source.length ?? state.length)
    guard isSameLength, state.length ?? 0 >= 0, state.stamp == source.stamp else {
      throw Refusal.otherBody
    }
    return source
  }

  private func secrets(of body: RequestBody, prepared: RequestBody) -> [Secret] {
    guard !agent.tools.redaction.hidesNothing else { return [] }
    var http = HTTPRequest(url: URL(fileURLWithPath: "/"), body: prepared)
    http.headers["Content-Type"] = prepared.contentType
    let named = CredentialFinder.values(in: http, by: agent.tools.redaction)
    return SecretFinder.secrets(in: [body])
      + named.prefix(1_024).map { Secret(String(decoding: $0.bytes, as: UTF8.self)) }
  }

  private var hasOwnBody: Bool {
    if let custom = request.customRequest { return !custom.body.isEmpty }
    let isQuery = request.method.putsParametersInQuery
    return request.body.isAutomatic ? !request.parameters.isEmpty && !isQuery : !request.body.isEmpty
  }

  private func check(_ state: UploadProtocol.State) throws(Refusal) {
    guard state.protocolName != dialect.name else { return }
    throw Refusal(
      "the upload was started by \(state.protocolName) and cannot be continued by \(dialect.name)",
      kind: .invalidRequest)
  }

  private func check(_ length: Int64?, of source: any UploadSource) throws(Refusal) {
    guard let length, let own = source.length, length != own else { return }
    throw Refusal(
      "the upload at the server has \(length) bytes, but the body has \(own) bytes",
      kind: .invalidResponse)
  }

  // MARK: Steps

  private func send(_ source: any UploadSource, type: String?) async throws -> UploadProtocol.Receipt {
    var state = try await begun(source, type: type)
    if isAsking {
      if try await ask(of: &state, source) {
        return UploadProtocol.Receipt(url: state.url, size: state.offset, response: nil)
      }
      isAsking = false
    }
    reporter?.begin(at: state.offset)
    var last: HTTPResponse?
    while !(dialect.endsByItself && state.length == state.offset) {
      let chunk = try await chunk(of: source, for: state)
      failureLimit.noteChunk(chunk.count)
      sentEnd = sentEnd.map { max($0, chunk.end) }
      let answer = try await exchange(step(dialect.message(for: chunk), from: state), sending: chunk)
      let status = try checked(answer) { try dialect.progress(after: chunk, in: answer) }
      if chunk.isLast { (state.length, serverKnowsLength) = (chunk.totalLength, true) }
      last = answer
      guard let status else {
        if try await ask(of: &state, source, after: chunk) { break }
        continue
      }
      if try await apply(status, of: &state, from: answer, after: chunk) { break }
    }
    return UploadProtocol.Receipt(url: state.url, size: state.offset, response: last)
  }

  /// Asks the server for the status.
  ///
  /// Returns true if the server has the complete body. If the server no longer knows the upload after the
  /// last chunk, the error is permanent: the server may already have the complete body.
  private func ask(
    of state: inout UploadProtocol.State, _ source: any UploadSource, after chunk: UploadChunk? = nil
  ) async throws -> Bool {
    let answer: HTTPResponse
    do {
      answer = try await exchange(step(dialect.statusQuery(), from: state))
    } catch let error as RequestError {
      guard chunk?.isLast == true, let status = error.status, dialect.isForgotten(status) else { throw error }
      throw self.error(
        Refusal(
          "the server did not confirm the last chunk, and no longer knows the upload",
          kind: .invalidResponse))
    }
    let status = try checked(answer) {
      let status = try dialect.progress(in: answer, of: state)
      try check(status.length, of: source)
      return status
    }
    serverKnowsLength = serverKnowsLength || status.length != nil
    if status.isComplete, state.length == nil || source.length == nil && state.length == status.offset {
      // Without a known length, the source must show that the body ends at the server's offset.
      var resumed = state
      resumed.offset = status.offset
      let rest = try await self.chunk(of: source, for: resumed)
      guard rest.isLast, rest.count == 0 else {
        throw error(
          Refusal(
            "the server reports the upload as complete after \(status.offset) bytes, but the body is longer",
            kind: .invalidResponse), in: answer)
      }
      state.length = status.offset
    }
    return try await apply(status, of: &state, from: answer, after: chunk)
  }

  private func begun(_ source: any UploadSource, type: String?) async throws -> UploadProtocol.State {
    if let state { return state }
    var (checksum, base) = (UploadChecksum?.none, URL?.none)
    if dialect.usesChecksums {
      let question = request.with(\.method, .options).with(\.body, .none).with(\.parameters, [:])
      let answer = try await exchange(judged(question))
      checksum = dialect.checksum(in: answer)
      if request.baseURL == nil { base = agent.configuration.baseSelector?.base(of: sentURL) }
    }
    let headers = dialect.startHeaders(length: source.length, contentType: type)
    var start = request.with(\.headers, headers)
    // Parameters of the agent would become the body.
    if !dialect.startMayHaveBody { start = start.with(\.body, .none) }
    // The checksum algorithm was agreed with the server at `base`.
    if let base { start = start.with(\.baseURL, base) }
    if var custom = request.customRequest {
      custom.headers = custom.headers.merging(headers)
      start = start.with(\.customRequest, custom)
    }
    let hiding = start.with(\.secrets, bodySecrets).with(\.hiddenHeaders, dialect.addressHeaders)
    let answer = try await exchange(judged(hiding))
    var state = try checked(answer) { try dialect.begin(answer) }
    (state.length, state.stamp, state.checksum) = (source.length, source.stamp, checksum)
    self.state = state
    (isAsking, serverKnowsLength, isOffsetConfirmed, sentEnd) = (false, source.length != nil, true, 0)
    await stateChanged?(state)
    return state
  }

  private func chunk(of source: any UploadSource, for state: UploadProtocol.State) async throws -> UploadChunk
  {
    do {
      var chunk = try await source.chunk(
        at: state.offset, size: dialect.chunkSize(in: state),
        minimumLastChunk: state.chunkLimit == nil ? dialect.minimumLastChunk : 0)
      chunk.checksum = try await state.checksum?.text(of: chunk.body) {
        await Task.yield()
        try self.entry.check(of: self.agent)
      }
      chunk.tellsLength = !serverKnowsLength
      return chunk
    } catch let error as RequestError {
      throw error
    } catch let refusal as Refusal {
      throw error(refusal, at: .build)
    } catch let problem where !(problem is CancellationError) {
      throw error(Refusal("the body cannot be read: \(problem)", kind: .encoding, cause: problem), at: .build)
    }
  }

  /// Stores the status.
  ///
  /// Returns true if the server has the complete body.
  private func apply(
    _ status: UploadStatus, of state: inout UploadProtocol.State, from answer: HTTPResponse,
    after chunk: UploadChunk? = nil
  ) async throws -> Bool {
    let before = state.offset
    try checked(answer) { try check(status, of: state, sentEnd: chunk?.end ?? sentEnd) }
    isOffsetConfirmed = true
    state.offset = status.offset
    state.chunkLimit = status.chunkLimit ?? state.chunkLimit
    self.state = state
    let isProgress = failureLimit.noteAcknowledged(status.offset)
    if let chunk, status.offset < chunk.end { attempt += 1 }
    reporter?.tell(
      TransferProgress(attempt: attempt, phase: .sending, completed: status.offset, total: state.length))
    await stateChanged?(state)
    let isShort = chunk.map { $0.count == 0 || status.offset < $0.end } ?? false
    if let chunk, isShort, !isProgress, !status.isComplete {
      let taken = status.offset <= before ? "none" : "only \(status.offset - before)"
      let reason = "the server took \(taken) of the \(chunk.count) bytes from byte \(chunk.offset) on"
      throw error(Refusal(reason, kind: .invalidResponse, cause: UploadFailureLimit.Stall()), in: answer)
    }
    return status.isComplete
  }

  private func check(_ status: UploadStatus, of state: UploadProtocol.State, sentEnd: Int64?) throws(Refusal)
  {
    if let problem = status.problem(of: state, sentEnd: sentEnd) { throw problem }
    guard isOffsetConfirmed, status.offset < state.offset, !failureLimit.noteSetback() else { return }
    throw Refusal(
      "the server has only \(status.offset) of \(state.offset) acknowledged bytes, and has lost acknowledged bytes \(failureLimit.setbacks) times",
      kind: .invalidResponse)
  }

  // MARK: Failures

  /// Waits before the next try.
  ///
  /// Throws a permanent error, and any error after too many failures or losses. If the server no longer knows
  /// the upload, the next try starts a new upload.
  private func recover(from error: RequestError) async throws {
    if state != nil, error.status.map(dialect.isForgotten) == true {
      state = nil
      guard failureLimit.noteSetback() else { throw error }
    } else {
      guard UploadFailureLimit.mayPass(error) else { throw error }
      isAsking = state != nil
    }
    attempt += 1
    guard failureLimit.noteFailure() else { throw error }
    let now = agent.configuration.clock.date
    let ladder = RetryPolicy.Backoff.exponential(first: .seconds(1)...(.seconds(1)), cap: Self.longestWait)
    let asked = error.response?.serverWait(now: now)?.wait ?? .zero
    let wait = max(
      ladder.wait(retry: failureLimit.failures, jitter: 0, elapsed: .zero) ?? Self.longestWait, asked)
    try await entry.sleep(min(wait, Self.longestWait), of: agent)
  }

  private func checked<Value>(
    _ answer: HTTPResponse?, at stage: Stage = .decode, body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let refusal as Refusal {
      throw error(refusal, in: answer, at: stage)
    } catch let problem as EncodingError {
      throw error(Refusal(problem.clause, kind: .encoding, cause: problem), in: answer, at: stage)
    } catch let problem where stage == .build && !(problem is RequestError) {
      // A type of the app may throw any error while the body is encoded.
      let refusal = Refusal(String(describing: problem), kind: .encoding, cause: problem)
      throw error(refusal, in: answer, at: stage)
    }
  }

  private func error(
    _ refusal: Refusal, in answer: HTTPResponse? = nil, at stage: Stage = .decode
  ) -> RequestError {
    RequestError(
      refusal.kind, refusal.message, stage: stage, response: answer, cause: refusal.cause ?? refusal,
      redaction: redaction(for: answer))
  }

  private func redaction(for answer: HTTPResponse?) -> Redaction {
    guard !agent.tools.redaction.hidesNothing else { return agent.tools.redaction }
    let places = dialect.addressHeaders.flatMap { answer?.headers.values(for: $0) ?? [] }
    let states = places.compactMap { URL(string: $0).map { UploadProtocol.State(dialect.name, url: $0) } }
    let secrets = bodySecrets + (states + [state].compactMap(\.self)).flatMap(\.secrets)
    return agent.tools.redaction.hidingSecrets(of: request).hiding(headers: dialect.addressHeaders)
      .hiding(secrets: secrets).hiding(values: answer?.link.own?.values?.values ?? [])
  }

  // MARK: Dispatches

  /// Returns the request for a message, with headers of the agent and of the caller's request.
  ///
  /// The headers of the agent and the caller that describe a body are left out. If the upload has another
  /// origin than the caller's request, only headers that may cross origins are added.
  private func step(_ message: UploadMessage, from state: UploadProtocol.State) -> OverriddenRequest<R> {
    let (redaction, home) = (context.dispatched.confidential, home)
    var headers = agent.configuration.headers
    // As in the starting request, an untrusted origin gets no secrets of the agent.
    if let home, builder.isForeign(home, of: request) {
      headers.fields.removeAll { !RedirectRules.mayCrossOrigins($0, redaction: redaction) }
    }
    headers = headers.merging(request.customRequest?.headers ?? request.headers)
    headers.fields.removeAll { RedirectRules.describesBody($0.name) }
    // The URL may come from a stored state, and belong to any server.
    if home.map({ !Origin.same($0, state.url) }) ?? true {
      headers.fields.removeAll { !RedirectRules.mayCrossOrigins($0, redaction: redaction) }
    }
    if !headers.contains("User-Agent") { headers["User-Agent"] = agent.building.userAgent }
    let custom = HTTPRequest(
      url: state.url, method: message.method, headers: headers.merging(message.headers), body: message.body)
    return judged(
      request.with(\.customRequest, custom).with(\.idempotencyKey, .none)
        .with(\.secrets, bodySecrets + state.secrets))
  }

  private func judged(_ request: OverriddenRequest<R>) -> OverriddenRequest<R> {
    request.with(\.validators, [UploadValidator(dialect: dialect)]).with(\.retryPolicy, .none)
      .with(\.coalescing, .none)
  }

  /// The URL of the caller's request; `nil` if the request cannot be built.
  private var home: URL? {
    var builder = builder
    if let selector = agent.configuration.baseSelector {
      builder.selectedBase = selector.nearestBase(to: state?.url)
    }
    return try? builder.build(request).url
  }

  private var builder: RequestBuilder { RequestBuilder(settings: agent.building, context: context) }

  private var context: RequestContext {
    RequestContext(dispatched: .init(id: 0, request: request, tools: agent.tools), attempt: 0)
  }

  private func exchange(_ step: OverriddenRequest<R>, sending chunk: UploadChunk? = nil) async throws
    -> HTTPResponse
  {
    let meter = chunk == nil || reporter == nil ? nil : TransferMeter(agent.configuration.clock)
    let dispatch = Dispatch.begin(step, by: agent, under: entry, meter: meter)
    let telling = tell(of: meter, chunk)
    var dispatchState = DispatchState()
    let outcome = await withTaskCancellationHandler {
      await dispatch.exchange(&dispatchState)
    } onCancel: {
      dispatch.time.cancellation.cancel(by: .task)
    }
    meter?.end()
    await telling?.value
    guard case .success(var answer) = outcome else { throw dispatch.thrown(outcome, on: dispatchState) }
    let request = dispatchState.lastRequest
    sentURL = dispatchState.firstURL
    answer.url = answer.url ?? request?.url
    // If a redirect has changed the method, the response may be a sign-in page.
    if let method = request?.method, method != step.customRequest?.method ?? step.method {
      throw error(
        Refusal(
          "a redirect changed the upload's request to \(method), so the server did not receive the data",
          kind: .redirect),
        in: answer)
    }
    return answer
  }

  private func tell(of meter: TransferMeter?, _ chunk: UploadChunk?) -> Task<Void, Never>? {
    guard let meter, let chunk, let reporter else { return nil }
    let (attempt, total) = (attempt, state?.length)
    return Task {
      for await progress in meter.changingProgress.updates where progress.phase == .sending {
        reporter.tell(
          TransferProgress(
            attempt: attempt, phase: .sending,
            completed: TransferProgress.sum(chunk.offset, min(progress.completed, chunk.count)), total: total)
        )
      }
    }
  }
}

private struct UploadValidator: ResponseValidator {
  let dialect: any UploadDialect

  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    if dialect.accepts(head) { return .accepted }
    return .refusedWithBody(Refusal("status \(head.status) is not in 200..<300", kind: .status))
  }
}

/// Reports the progress to the caller.
///
/// The reported progress decreases only in a new attempt.
private final class UploadProgressReporter: Sendable {
  private struct State {
    var last: TransferProgress?
    var pace = Pace()
  }

  private let report: @Sendable (TransferProgress) -> Void
  private let clock: AgentClock
  private let state = Locked(State())

  init(clock: AgentClock, report: @escaping @Sendable (TransferProgress) -> Void) {
    (self.clock, self.report) = (clock, report)
  }

  func begin(at offset: Int64) {
    let now = clock.now()
    state.withLock { state in
      if !state.pace.isKnown { state.pace = Pace(from: offset, at: now) }
    }
  }

  func tell(_ progress: TransferProgress) {
    let now = clock.now()
    let news: TransferProgress? = state.withLock { state in
      if let last = state.last, last.attempt == progress.attempt,
        last.completed > progress.completed || last.hasSameCounts(as: progress)
      {
        return nil
      }
      if state.last.map({ progress.completed < $0.completed }) ?? false {
        state.pace = Pace(from: progress.completed, at: now)
      }
      var progress = progress
      progress.throughput = state.pace.throughput(progress.completed, at: now)
      state.pace.note(progress.completed, at: now)
      state.last = progress
      return progress
    }
    if let news { report(news) }
  }
}

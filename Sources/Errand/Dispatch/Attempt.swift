import Foundation

/// The changing state of a single attempt of a dispatch.
///
/// A class, because each stage would copy a value of this size into its stack frame. A single task at a
/// time changes an attempt. No change overlaps a different access to the same property.
final class Attempt: @unchecked Sendable {
  @exclusivity(unchecked) var context: RequestContext
  @exclusivity(unchecked) var clock: AttemptClock
  @exclusivity(unchecked) var stage: Stage = .build
  @exclusivity(unchecked) var sent = Sent()
  @exclusivity(unchecked) var signature = Signature()
  @exclusivity(unchecked) var admission: Admission?
  @exclusivity(unchecked) var transferState = Wire.TransferState()
  @exclusivity(unchecked) var hops = Hops()
  @exclusivity(unchecked) var answer = Answer()
  @exclusivity(unchecked) var fallback: MockFallback?
  @exclusivity(unchecked) var notifier: ProgressNotifier?
  /// The name of the hook that replaced the server for the last request; `nil`: none.
  @exclusivity(unchecked) var responder: String?
  @exclusivity(unchecked) var load: AttemptLoadBox?

  var number: Int { context.attempt }

  init(_ context: RequestContext, clock: AttemptClock) {
    self.context = context
    self.clock = clock
  }

  /// Creates a copy, because a different task may still read the original.
  init(copying other: Attempt) {
    (context, clock, stage) = (other.context, other.clock, other.stage)
    (sent, signature, admission) = (other.sent, other.signature, other.admission)
    (transferState, hops, answer) = (other.transferState, other.hops, other.answer)
    (fallback, notifier, responder, load) = (other.fallback, other.notifier, other.responder, other.load)
  }

  @inline(__always)
  func giveSlotBack() {
    guard let lease = transferState.lease else { return }
    transferState.lease = nil
    lease.end()
  }

  struct Sent: Sendable {
    /// The last request, as prepared so far.
    var request: HTTPRequest?
    /// The last request before the `filterRequest` hooks.
    var built: HTTPRequest?
    /// Facts about the request before redirects; `nil` before the end of the preparation.
    var first: First?

    // Without a key, reads only single properties, because a copy of the request is slow.
    mutating func noteFirst(key: DispatchIdempotencyKey?) {
      guard let method = request?.method, let isReplayable = request?.body.isReplayable else { return }
      var isKeyed = false
      if let key, let request { isKeyed = key.isCarried(by: request) }
      first = First(method: method, isReplayable: isReplayable, isKeyed: isKeyed)
    }
  }

  struct Hops: Sendable {
    var redirects: [AttemptReport.Redirect] = []
    var fragment: String?
    var follower: FollowerBox?
    /// True if `filterRequest` moved the last request to an untrusted origin.
    var isMoved = false
    /// True if the attempt's own transfer received the first redirect.
    var isFirstAnswerOwn = false
    /// The names of headers, trailers and authenticators withheld from an origin.
    var withheld: [String] = []

    mutating func withhold(_ name: String) {
      if !withheld.contains(name) { withheld.append(name) }
    }
  }

  /// Boxed to save space, because most attempts follow no redirect.
  final class FollowerBox: Sendable {
    let follower: RedirectFollower

    init(_ follower: RedirectFollower) { self.follower = follower }
  }

  struct Answer: Sendable {
    /// The response before ``AttemptReceiver/head(_:)``.
    var received: TransportResponse?
    var response: HTTPResponse?
    var body: BodyStream?
    /// The body with the trailers and metrics, after the end of reading.
    var readBody: BodyStream?
    /// True only if the body was read into memory, perhaps not to the end.
    var isBodyRead = false
    /// The number of body bytes received for a stream or a file.
    var streamedLength: Int?
    var destination: FileResponse?
    var file: PartialFile?

    @inline(never)
    mutating func resume(_ request: inout HTTPRequest, isExplanation: Bool) throws -> Int64 {
      guard let destination else { return 0 }
      if let checksum = destination.checksum {
        try checksum.check()
        checksum.ask(&request)
      }
      guard destination.resumes else { return 0 }
      if isExplanation {
        return try PartialFile.addResumptionHeaders(to: &request, for: destination.destination)
      }
      file = try PartialFile(resuming: destination.destination, for: request)
      file?.ask(&request)
      return file?.size ?? 0
    }

    func keptByteCount(before head: HTTPResponse) -> Int64 {
      guard head.status == 206, let size = file?.size, let range = ContentRange(of: head) else { return 0 }
      return min(size, range.first)
    }
  }

  struct ReadingLimits {
    /// The limit in bytes; `nil`: no limit.
    let bound: Int?
    let signals: TransferSignals
    let meter: TransferMeter?
  }

  struct First: Sendable {
    let method: HTTPMethod
    let isReplayable: Bool
    let isKeyed: Bool
  }

  enum End {
    case success, cancelled
    indirect case failure(RequestError, RetryVerdict)
  }
}

// MARK: Body

extension Attempt {
  @inline(never)
  func write(_ body: BodyStream, to destination: FileResponse, within limits: ReadingLimits) async throws {
    defer { endReading(body) }
    do {
      let file = try answer.file ?? PartialFile(for: destination.destination, head: receivedHead)
      answer.file = file
      try await file.begin(receivedHead, checksum: destination.checksum) {
        await Task.yield()
        try await limits.signals.waitWhileSuspended()
        try limits.signals.check()
      }
      answer.streamedLength = 0
      try await limits.signals.waitWhileSuspended()
      var chunks = body.makeAsyncIterator()
      while let chunk = try await chunks.next() {
        try append(chunk, to: file, within: limits)
        try await limits.signals.waitWhileSuspended()
      }
    } catch {
      body.cancel()
      throw error
    }
  }

  @inline(never)
  private func append(_ chunk: Data, to file: PartialFile, within limits: ReadingLimits) throws {
    let length = (answer.streamedLength ?? 0) + chunk.count
    answer.streamedLength = length
    if let bound = limits.bound, length > bound { throw TransportError.bodyTooLong(bound) }
    try file.write(chunk)
    limits.meter?.noteRead(chunk.count)
  }

  /// Reads the body into the response.
  ///
  /// The response grows while reading, so that a failure keeps the bytes received so far. The chunk that
  /// reaches `limit` bytes is the last. Throws if the bytes exceed the bound in `limits`.
  @inline(never)
  func read(_ body: BodyStream, limit: Int, within limits: ReadingLimits) async throws {
    defer { endReading(body) }
    try await limits.signals.waitWhileSuspended()
    var chunks = body.makeAsyncIterator()
    while let chunk = try await chunks.next() {
      if try append(chunk, of: body, limit: limit, within: limits) { break }
      try await limits.signals.waitWhileSuspended()
    }
    answer.isBodyRead = true
  }

  /// Appends a chunk to the response; returns true if `limit` is reached.
  @inline(never)
  private func append(_ chunk: Data, of body: BodyStream, limit: Int, within limits: ReadingLimits) throws
    -> Bool
  {
    if answer.response?.body.isEmpty == true {
      answer.response?.body = chunk
    } else {
      answer.response?.body.append(chunk)
    }
    let count = answer.response?.body.count ?? 0
    limits.meter?.noteRead(chunk.count)
    if let bound = limits.bound, count > bound {
      body.cancel()
      throw TransportError.bodyTooLong(bound)
    }
    guard count >= limit else { return false }
    body.cancel()
    return true
  }

  @inline(never)
  func readWhole(_ body: BodyStream, within limits: ReadingLimits) throws {
    defer { endReading(body) }
    if let chunk = body.makeAsyncIterator().rest {
      _ = try append(chunk, of: body, limit: .max, within: limits)
    }
    answer.isBodyRead = true
  }

  @inline(never)
  private func endReading(_ body: BodyStream) {
    answer.readBody = body
    let trailers = body.trailers
    if !trailers.fields.isEmpty || answer.response?.trailers.fields.isEmpty == false {
      answer.response?.trailers = trailers
    }
  }

  private var receivedHead: HTTPResponse { answer.response ?? HTTPResponse() }
}

// MARK: Report

extension Attempt {
  /// Returns the report of the attempt, without the response body, to save memory.
  ///
  /// With `isLast`, moves the request of a successful attempt into the report.
  func report(
    _ end: End, since start: Duration, cache: VerdictBox?, link: RedactionSource, isLast: Bool
  ) -> AttemptReport {
    var (outcome, retry) = (Outcome<Void>.success(()), RetryVerdict?.none)
    var request: HTTPRequest?
    switch end {
    case .success where isLast: request = sent.request.take()
    case .success: request = sent.request
    case .cancelled: (request, outcome) = (sent.request, .cancelled)
    case .failure(var error, let verdict):
      if let count = answer.response?.body.count, count > 0 { error.streamedLength = count }
      error.response?.body = Data()
      (request, outcome, retry) = (sent.request, .failure(error), verdict)
    }
    var response = answer.response
    let length = response?.removeBody() ?? 0
    return AttemptReport(
      number: number, request: consume request, response: consume response, redirects: hops.redirects,
      bodyLength: answer.streamedLength ?? length, metrics: answer.readBody?.metrics,
      isMocked: transferState.isMocked, responder: responder, isCoalesced: transferState.isCoalesced,
      transferCount: transferState.transferCount, isLastShared: transferState.isLastHopShared,
      verdictBox: cache,
      withheld: hops.withheld,
      begun: clock.started - start, elapsed: clock.elapsed, slotWait: clock.slotWait,
      throttleWait: clock.throttleWait, authenticationWait: clock.authenticationWait, outcome: outcome,
      stage: stage, retry: retry?.retry, noRetryReason: retry?.reason, loadBox: load, link: link)
  }
}

extension HTTPResponse {
  fileprivate mutating func removeBody() -> Int {
    defer { body = Data() }
    return body.count
  }
}

import Foundation

/// The changing state of a single attempt of a dispatch.
struct Attempt: Sendable {
  var context: RequestContext
  var clock: AttemptClock
  var stage: Stage = .build
  var sent = Sent()
  var signature = Signature()
  var admission: Admission?
  var transferState = Wire.TransferState()
  var hops = Hops()
  var answer = Answer()
  var fallback: MockFallback?
  var notifier: ProgressNotifier?

  var number: Int { context.attempt }

  init(_ context: RequestContext, clock: AttemptClock) {
    self.context = context
    self.clock = clock
  }

  @inline(__always)
  mutating func giveSlotBack() {
    guard let lease = transferState.lease else { return }
    transferState.lease = nil
    lease.end()
  }

  struct Sent: Sendable {
    /// The last request, as prepared so far.
    var request: HTTPRequest?
    /// Facts about the request before redirects.
    var first: First?
  }

  struct Hops: Sendable {
    var redirects: [AttemptReport.Redirect] = []
    /// The number of redirects from the cache, a mock or another dispatch's transfer.
    var unsentCount = 0
    /// The fragment of the last URL.
    var fragment: String?
    /// True if hooks moved the last request to an untrusted origin.
    var isMoved = false
    /// The names of headers and authenticators withheld from an origin.
    var withheld: [String] = []

    mutating func withhold(_ name: String) {
      if !withheld.contains(name) { withheld.append(name) }
    }
  }

  struct Answer: Sendable {
    var response: HTTPResponse?
    var metrics: TransportSummary.Metrics?
    /// True if reading the body into memory has begun.
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

    /// Writes the body to a partial file.
    @inline(never)
    mutating func write(
      _ body: BodyStream, to destination: FileResponse, within limits: ReadingLimits
    ) async throws {
      defer { take(body.summary) }
      do {
        let head = response ?? HTTPResponse()
        let file = try self.file ?? PartialFile(for: destination.destination, head: head)
        self.file = file
        try await file.begin(head, checksum: destination.checksum) {
          await Task.yield()
          try await limits.signals.waitWhileSuspended()
          try limits.signals.check()
        }
        streamedLength = 0
        try await limits.signals.waitWhileSuspended()
        for try await chunk in body {
          streamedLength = (streamedLength ?? 0) + chunk.count
          if let bound = limits.bound, let streamedLength, streamedLength > bound {
            throw TransportError.bodyTooLong(bound)
          }
          try file.write(chunk)
          limits.meter?.noteRead(chunk.count)
          try await limits.signals.waitWhileSuspended()
        }
      } catch {
        body.cancel()
        throw error
      }
    }

    private mutating func take(_ summary: TransportSummary) {
      metrics = summary.metrics
      response?.trailers = summary.trailers
    }

    /// Appends the body to the response, so that a failure keeps the bytes received so far.
    ///
    /// - Parameter limit: the number of bytes after which reading stops without an error.
    @inline(__always)
    mutating func read(
      _ body: BodyStream, limit: Int, within limits: ReadingLimits
    ) async throws {
      defer { take(body.summary) }
      try await limits.signals.waitWhileSuspended()
      isBodyRead = true
      for try await chunk in body {
        if response?.body.isEmpty == true { response?.body = chunk } else { response?.body.append(chunk) }
        let count = response?.body.count ?? 0
        limits.meter?.noteRead(chunk.count)
        if let bound = limits.bound, count > bound {
          body.cancel()
          throw TransportError.bodyTooLong(bound)
        }
        if count >= limit {
          body.cancel()
          return
        }
        try await limits.signals.waitWhileSuspended()
      }
    }
  }

  struct ReadingLimits {
    /// The maximum number of bytes; `nil`: no limit.
    let bound: Int?
    let signals: TransferSignals
    let meter: TransferMeter?
  }

  struct First: Sendable {
    let method: HTTPMethod
    let isReplayable: Bool
    let isKeyed: Bool

    // Inlined, because a call would copy the request.
    @inline(__always)
    init(_ request: HTTPRequest, key: DispatchIdempotencyKey?) {
      method = request.method
      isReplayable = request.body.isReplayable
      isKeyed = key?.isCarried(by: request) ?? false
    }
  }

  enum End {
    case success, cancelled
    indirect case failure(RequestError, RetryVerdict)
  }

  /// Returns the report of the attempt, without the response body to save memory.
  func report(
    _ end: End, since start: Duration, cache: VerdictBox?, link: RedactionSource
  ) -> AttemptReport {
    var ended = self
    return ended.takeReport(end, since: start, cache: cache, link: link)
  }

  /// Returns the report, and moves the metrics out of the attempt.
  ///
  /// Also moves the request, except after a failure, because a mock may still respond to the request.
  mutating func takeReport(
    _ end: End, since start: Duration, cache: VerdictBox?, link: RedactionSource
  ) -> AttemptReport {
    var (outcome, retry) = (Outcome<Void>.success(()), RetryVerdict?.none)
    var request: HTTPRequest?
    switch end {
    case .success: request = sent.request.take()
    case .cancelled: (request, outcome) = (sent.request.take(), .cancelled)
    case .failure(var error, let verdict):
      request = sent.request
      error.response?.body = Data()
      (outcome, retry) = (.failure(error), verdict)
    }
    var response = answer.response
    let length = response?.removeBody() ?? 0
    return AttemptReport(
      number: number, request: consume request, response: consume response, redirects: hops.redirects,
      bodyLength: answer.streamedLength ?? length, metrics: answer.metrics.take(),
      isMocked: transferState.isMocked, isCoalesced: transferState.isCoalesced,
      unsentRedirects: hops.unsentCount, isLastShared: transferState.isLastHopShared,
      isUnsent: stage == .transport && answer.response == nil && !transferState.isSent, verdictBox: cache,
      withheld: hops.withheld,
      begun: clock.started - start, elapsed: clock.elapsed, slotWait: clock.slotWait,
      throttleWait: clock.throttleWait, authenticationWait: clock.authenticationWait, outcome: outcome,
      stage: stage, retry: retry?.retry, noRetryReason: retry?.reason, link: link)
  }
}

extension HTTPResponse {
  fileprivate mutating func removeBody() -> Int {
    defer { body = Data() }
    return body.count
  }
}

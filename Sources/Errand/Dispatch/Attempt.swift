import Foundation

/// The working state of one attempt: how far it came, and what is known when it fails.
struct Attempt: Sendable {
  var context: RequestContext
  var clock: AttemptClock
  var stage: Stage = .build
  var sent = Sent()
  /// What the authenticator signed.
  var signature = Signature()
  /// `nil` where its origin has no state.
  var admission: Admission?
  var transferState = Wire.TransferState()
  var hops = Hops()
  var answer = Answer()
  /// The answer of an attempt that sends nothing.
  var fallback: MockFallback?
  /// What tells accessories how far it is; `nil` where there are none.
  var notifier: ProgressNotifier?

  var number: Int { context.attempt }

  init(_ context: RequestContext, clock: AttemptClock) {
    self.context = context
    self.clock = clock
  }

  /// Gives its slot back, where it has one.
  @inline(__always)
  mutating func giveSlotBack() {
    guard let lease = transferState.lease else { return }
    transferState.lease = nil
    lease.end()
  }

  /// What it sent.
  struct Sent: Sendable {
    /// The last request, as it was sent, or as it was when it failed before that.
    var request: HTTPRequest?
    /// Of what the transport got first: another attempt begins with it, wherever redirects led this one.
    var first: First?
  }

  /// Where it went besides the place it began with.
  struct Hops: Sendable {
    var redirects: [AttemptReport.Redirect] = []
    /// What stands behind the `#` of the last URL, which is sent nowhere; `nil` for none.
    var fragment: String?
    /// The names of what was kept from the origins it went to.
    var withheld: [String] = []

    /// Notes that an origin may not have something, once.
    mutating func withhold(_ name: String) {
      if !withheld.contains(name) { withheld.append(name) }
    }
  }

  /// What came back.
  struct Answer: Sendable {
    var response: HTTPResponse?
    var metrics: TransportMetrics?
    /// The bytes of the body that were handed on instead of kept; `nil` where they are kept.
    var streamedLength: Int?
    /// Where the body is to be written; `nil` where it is kept or handed out.
    var destination: FileResponse?
    /// Where it is being written.
    var file: PartialFile?

    /// Asks for what the destination needs: the rest of a file of which an earlier request has left the beginning, or a checksum.
    ///
    /// - Parameter isExplanation: whether nothing is sent, so that no file is made or held.
    /// - Returns: how many bytes an earlier request has left; 0 for none.
    @inline(never)
    mutating func resume(_ request: inout HTTPRequest, isExplanation: Bool) throws -> Int64 {
      guard let destination else { return 0 }
      if let checksum = destination.checksum {
        try checksum.check()
        checksum.ask(&request)
      }
      guard destination.resumes else { return 0 }
      if isExplanation { return try PartialFile.explain(destination.destination, in: &request) }
      file = try PartialFile(resuming: destination.destination, for: request)
      file?.ask(&request)
      return file?.size ?? 0
    }

    /// The number of bytes that an earlier download has left, behind which the body of a response goes on; such a body that is refused ends the attempt.
    func countThere(before head: HTTPResponse) -> Int64 {
      guard head.status == 206, let size = file?.size, let range = ContentRange(of: head) else { return 0 }
      return min(size, range.first)
    }

    /// Writes the body into a file, which is gone with the attempt unless it is put in place, or kept.
    @inline(never)
    mutating func write(
      _ body: BodyStream, to destination: FileResponse, within limits: ReadingLimits
    ) async throws {
      defer {
        metrics = body.summary.metrics
        response?.trailers = body.summary.trailers
      }
      do {
        let head = response ?? HTTPResponse()
        let file = try self.file ?? PartialFile(for: destination.destination, head: head)
        self.file = file
        try await file.begin(head, checksum: destination.checksum) {
          await Task.yield()
          try await limits.signals.rest()
          try limits.signals.check()
        }
        streamedLength = 0
        try await limits.signals.rest()
        for try await chunk in body {
          streamedLength = (streamedLength ?? 0) + chunk.count
          if let bound = limits.bound, let streamedLength, streamedLength > bound {
            throw TransportError.bodyTooLong(bound)
          }
          try file.write(chunk)
          limits.meter?.noteRead(chunk.count)
          try await limits.signals.rest()
        }
      } catch {
        body.cancel()
        throw error
      }
    }

    /// Reads the body, so that a failure keeps what came, and gives it up past the limit.
    ///
    /// - Parameters:
    ///   - limit: how much is wanted.
    ///   - limits: how much may come at all, and how long that may take.
    @inline(__always)
    mutating func read(
      _ body: BodyStream, limit: Int, within limits: ReadingLimits
    ) async throws {
      defer {
        metrics = body.summary.metrics
        response?.trailers = body.summary.trailers
      }
      try await limits.signals.rest()
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
        try await limits.signals.rest()
      }
    }
  }

  /// What limits the reading of a body, and who counts the bytes.
  struct ReadingLimits {
    /// How many bytes may come; `nil`: no limit.
    let bound: Int?
    /// What ends the reading, and what lets it rest.
    let signals: TransferSignals
    /// Counts the bytes that came; `nil`: nobody asks for progress.
    let meter: TransferMeter?
  }

  /// What decides whether a request may be sent again.
  struct First: Sendable {
    let method: HTTPMethod
    /// Whether its body is still there.
    let isReplayable: Bool
    /// Whether it has the dispatch's idempotency key.
    let isKeyed: Bool

    init(_ request: HTTPRequest, key: KeptIdempotencyKey?) {
      method = request.method
      isReplayable = request.body.isReplayable
      isKeyed = key?.isCarried(by: request) ?? false
    }
  }

  /// How it ended, and what follows.
  enum End {
    case success, cancelled
    indirect case failure(RequestError, RetryVerdict)
  }

  /// The account of it, without the body of its response: a dispatch may make very many.
  ///
  /// - Parameters:
  ///   - start: of the dispatch, on the agent's clock.
  ///   - cache: what the cache did.
  func report(
    _ end: End, since start: Duration, cache: KeptVerdict?, link: RedactionSource
  ) -> AttemptReport {
    var (outcome, retry) = (Outcome<Void>.success(()), RetryVerdict?.none)
    switch end {
    case .success: break
    case .cancelled: outcome = .cancelled
    case .failure(var error, let verdict):
      error.response?.body = Data()
      (outcome, retry) = (.failure(error), verdict)
    }
    var response = answer.response
    let length = response?.removeBody() ?? 0
    return AttemptReport(
      number: number, request: sent.request, response: consume response, redirects: hops.redirects,
      bodyLength: answer.streamedLength ?? length, metrics: answer.metrics,
      isMocked: transferState.isMocked, isCoalesced: transferState.isCoalesced, kept: cache,
      withheld: hops.withheld,
      begun: clock.started - start, elapsed: clock.elapsed, slotWait: clock.slotWait,
      throttleWait: clock.throttleWait, authenticationWait: clock.authenticationWait, outcome: outcome,
      stage: stage, retry: retry?.retry, noRetryReason: retry?.reason, link: link)
  }
}

extension HTTPResponse {
  /// Gives the length of the body that it had; in place, as a copy of a response is dear.
  fileprivate mutating func removeBody() -> Int {
    defer { body = Data() }
    return body.count
  }
}

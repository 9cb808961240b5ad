/// The account of an attempt as it is written for machines.
struct AttemptRecord: Codable {
  private var number: Int
  private var request: RequestRecord?
  private var response: ResponseRecord?
  private var redirects: [RedirectRecord]
  private var bodyLength: Int
  private var metrics: MetricsRecord?
  private var isMocked: Bool
  private var isCoalesced: Bool
  /// `nil` where nothing was.
  private var withheld: [String]?
  private var begun: Seconds
  private var elapsed: Seconds
  private var slotWait: Seconds
  private var throttleWait: Seconds
  private var authenticationWait: Seconds
  private var outcome: OutcomeRecord
  private var failure: FailureRecord?
  private var stage: Stage
  private var retry: RetryRecord?
  private var noRetryReason: String?

  init(_ attempt: AttemptReport) {
    let redaction = attempt.link.redaction(reporting: attempt.request)
    number = attempt.number
    request = attempt.request.map { RequestRecord($0, redaction) }
    response = attempt.response.map { ResponseRecord($0, redaction) }
    redirects = attempt.redirects.map { RedirectRecord($0, redaction) }
    bodyLength = attempt.bodyLength
    metrics = attempt.metrics.map(MetricsRecord.init)
    isMocked = attempt.isMocked
    isCoalesced = attempt.isCoalesced
    withheld = attempt.withheld.isEmpty ? nil : attempt.withheld.map { redaction.text($0) }
    begun = Seconds(attempt.begun)
    elapsed = Seconds(attempt.elapsed)
    slotWait = Seconds(attempt.slotWait)
    throttleWait = Seconds(attempt.throttleWait)
    authenticationWait = Seconds(attempt.authenticationWait)
    outcome = OutcomeRecord(attempt.outcome)
    failure = attempt.failure.map { FailureRecord($0, redaction) }
    stage = attempt.stage
    retry = attempt.retry.map(RetryRecord.init)
    noRetryReason = attempt.noRetryReason
  }

  var report: AttemptReport {
    get throws {
      let (request, response) = (try request?.request, try response?.response)
      let failure = failure?.error(request: request, response: response)
      return AttemptReport(
        number: number, request: request, response: response, redirects: try redirects.map { try $0.report },
        bodyLength: bodyLength, metrics: metrics?.metrics, isMocked: isMocked, isCoalesced: isCoalesced,
        withheld: withheld ?? [], begun: begun.duration, elapsed: elapsed.duration,
        slotWait: slotWait.duration,
        throttleWait: throttleWait.duration, authenticationWait: authenticationWait.duration,
        outcome: try outcome.outcome(failure), stage: stage, retry: retry?.retry, noRetryReason: noRetryReason
      )
    }
  }
}

/// When the next attempt follows, and who decided so.
private struct RetryRecord: Codable {
  private var wait: Seconds
  private var source: AttemptReport.Retry.Source

  init(_ retry: AttemptReport.Retry) {
    wait = Seconds(retry.wait)
    source = retry.source
  }

  var retry: AttemptReport.Retry { AttemptReport.Retry(wait: wait.duration, source: source) }
}

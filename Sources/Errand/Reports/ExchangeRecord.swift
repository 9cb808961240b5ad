import Foundation

struct ExchangeRecord: Codable {
  private var id: UInt64
  private var started: Double
  private var elapsed: Seconds
  private var turnWait: Seconds
  private var outcome: OutcomeRecord
  private var failure: FailureRecord?
  private var lastStage: Stage
  private var attempts: [AttemptRecord]

  init(_ report: ExchangeReport) {
    id = report.id
    started = report.started.timeIntervalSince1970
    elapsed = Seconds(report.elapsed)
    turnWait = Seconds(report.turnWait)
    outcome = OutcomeRecord(report.outcome)
    failure = report.outcome.error.map {
      FailureRecord($0, redaction: report.link.redaction(reporting: report.request))
    }
    lastStage = report.lastStage
    attempts = report.attempts.map(AttemptRecord.init)
  }

  var report: ExchangeReport {
    get throws {
      let attempts = try attempts.map { try $0.report }
      let failure = failure?.error(request: attempts.last?.request, response: attempts.last?.response)
      return ExchangeReport(
        id: id, started: Date(timeIntervalSince1970: started), elapsed: elapsed.duration,
        turnWait: turnWait.duration,
        attempts: attempts, outcome: try outcome.outcome(failure), lastStage: lastStage)
    }
  }
}

struct AttemptRecord: Codable {
  private var number: Int
  private var request: RequestRecord?
  private var response: ResponseRecord?
  private var redirects: [RedirectRecord]
  private var bodyLength: Int
  private var metrics: MetricsRecord?
  private var isMocked: Bool
  private var responder: String?
  private var isCoalesced: Bool
  /// `nil` stands for 0.
  private var transferCount: Int?
  /// `nil` stands for `false`.
  private var isLastShared: Bool?
  private var cache: ExchangeReport.CacheVerdict?
  /// `nil` stands for an empty list.
  private var withheld: [String]?
  /// `nil` stands for 0.
  private var sentBefore: Int?
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
  private var load: AttemptLoadRecord?

  init(_ attempt: AttemptReport) {
    let redaction = attempt.link.redaction(reporting: attempt.request)
    number = attempt.number
    request = attempt.request.map { RequestRecord($0, redaction: redaction) }
    response = attempt.response.map { ResponseRecord($0, redaction: redaction) }
    redirects = attempt.redirects.map { RedirectRecord($0, redaction: redaction) }
    bodyLength = attempt.bodyLength
    metrics = attempt.metrics.map { MetricsRecord($0, redaction: redaction) }
    isMocked = attempt.isMocked
    responder = attempt.responder.map { redaction.text($0) }
    isCoalesced = attempt.isCoalesced
    transferCount = attempt.transferCount == 0 ? nil : attempt.transferCount
    isLastShared = attempt.isLastShared ? true : nil
    cache = attempt.cache?.redacted(by: redaction)
    withheld = attempt.withheld.isEmpty ? nil : attempt.withheld.map { redaction.text($0) }
    sentBefore = attempt.sentBefore == 0 ? nil : attempt.sentBefore
    begun = Seconds(attempt.begun)
    elapsed = Seconds(attempt.elapsed)
    slotWait = Seconds(attempt.slotWait)
    throttleWait = Seconds(attempt.throttleWait)
    authenticationWait = Seconds(attempt.authenticationWait)
    outcome = OutcomeRecord(attempt.outcome)
    failure = attempt.failure.map { FailureRecord($0, redaction: redaction) }
    stage = attempt.stage
    retry = attempt.retry.map(RetryRecord.init)
    noRetryReason = attempt.noRetryReason.map(redaction.text)
    load = attempt.load.map { AttemptLoadRecord($0, redaction: redaction) }
  }

  var report: AttemptReport {
    get throws {
      let (request, response) = (try request?.request, try response?.response)
      let failure = failure?.error(request: request, response: response)
      return AttemptReport(
        number: number, request: request, response: response, redirects: try redirects.map { try $0.report },
        bodyLength: bodyLength, metrics: try metrics?.metrics, isMocked: isMocked, responder: responder,
        isCoalesced: isCoalesced, transferCount: transferCount ?? 0, isLastShared: isLastShared ?? false,
        verdictBox: cache.map(VerdictBox.init), withheld: withheld ?? [], begun: begun.duration,
        elapsed: elapsed.duration,
        slotWait: slotWait.duration,
        throttleWait: throttleWait.duration, authenticationWait: authenticationWait.duration,
        outcome: try outcome.outcome(failure), stage: stage, retry: retry?.retry,
        noRetryReason: noRetryReason,
        sentBefore: sentBefore ?? 0, loadBox: (load?.load).map(AttemptLoadBox.init))
    }
  }
}

private struct RetryRecord: Codable {
  private var wait: Seconds
  private var source: AttemptReport.Retry.Source

  init(_ retry: AttemptReport.Retry) {
    wait = Seconds(retry.wait)
    source = retry.source
  }

  var retry: AttemptReport.Retry { AttemptReport.Retry(wait: wait.duration, source: source) }
}

struct FailureRecord: Codable {
  private var kind: String
  private var reason: String
  private var stage: Stage
  private var attempts: Int
  private var elapsed: Seconds
  private var isOverRetryBudget: Bool
  private var retryObstacle: RetryObstacle?
  private var passedLimit: TimeLimit?
  /// Absent from reports of earlier versions.
  private var streamedLength: Int?

  init(_ error: RequestError, redaction: Redaction) {
    kind = error.kind.name
    reason = redaction.text(error.reason)
    stage = error.stage
    attempts = error.attempts
    elapsed = Seconds(error.elapsed)
    isOverRetryBudget = error.isOverRetryBudget
    retryObstacle = error.retryObstacle == .budget ? nil : error.retryObstacle
    passedLimit = error.passedLimit
    streamedLength = error.streamedLength
  }

  func error(request: HTTPRequest?, response: HTTPResponse?) -> RequestError {
    var error = RequestError(
      .init(kind), reason, stage: stage, request: request, response: response, attempts: attempts,
      elapsed: elapsed.duration)
    error.retryObstacle = isOverRetryBudget ? .budget : retryObstacle
    error.recordedLimit = passedLimit
    error.streamedLength = streamedLength
    return error
  }
}

package enum OutcomeRecord: String, Codable {
  case success, failure, cancelled

  package init(_ outcome: Outcome<Void>) {
    self =
      switch outcome {
      case .success: .success
      case .failure: .failure
      case .cancelled: .cancelled
      }
  }

  func outcome(_ failure: RequestError?) throws -> Outcome<Void> {
    switch self {
    case .success: return .success(())
    case .cancelled: return .cancelled
    case .failure:
      guard let failure else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "the outcome is a failure, and the failure is not there"))
      }
      return .failure(failure)
    }
  }
}

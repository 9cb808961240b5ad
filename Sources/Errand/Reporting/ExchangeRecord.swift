import Foundation

/// The account of a dispatch as it is written for machines.
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
    failure = report.outcome.error.map { FailureRecord($0, report.link.redaction(reporting: report.request)) }
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

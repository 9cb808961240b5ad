/// The result of a dispatch; a class, so that the handle of a running dispatch needs no space for the value.
final class EndedDispatch<Value: Sendable>: Sendable {
  let outcome: Outcome<Value>
  let report: ExchangeReport
  let response: HTTPResponse?
  let source: CancellationSignal.Source?
  let dispatched: RequestContext.Dispatched

  init(
    outcome: Outcome<Value>, report: ExchangeReport, response: HTTPResponse?,
    source: CancellationSignal.Source?, dispatched: RequestContext.Dispatched
  ) {
    (self.outcome, self.report, self.response) = (outcome, report, response)
    (self.source, self.dispatched) = (source, dispatched)
  }

  func received() throws -> Received<Value> {
    switch outcome {
    case .success(let value):
      return Received(value: value, response: response ?? absentResponse, report: report)
    case .failure(let error): throw error.reported(in: report)
    case .cancelled: throw cancellation
    }
  }

  /// A placeholder with status 0, for example for a success made by a hook.
  private var absentResponse: HTTPResponse {
    var response = HTTPResponse(status: 0)
    response.link.dispatched = dispatched
    return response
  }

  func value() throws -> Value {
    switch outcome {
    case .success(let value): return value
    case .failure(let error): throw error.reported(in: report)
    case .cancelled: throw cancelledError
    }
  }

  var cancellation: any Error { source == .task ? CancellationError() : cancelledError }

  private var cancelledError: RequestError {
    let attempts = report.attempts.count
    let reason =
      switch source {
      case .agent: "the agent cancelled all its requests"
      case .reader: "the reader abandoned the body of the response"
      case .task, .handle, nil: "the request was cancelled"
      }
    var error = RequestError(
      .cancelled, reason, stage: report.lastStage, request: report.request, response: report.response,
      attempts: attempts, elapsed: report.elapsed)
    error.belong(to: dispatched)
    return error.reported(in: report)
  }
}

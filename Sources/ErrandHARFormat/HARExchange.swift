package import Errand
package import Foundation

/// One exchange as a transport carried it, before its secrets are hidden.
package struct HARExchange: Sendable {
  package var request: HTTPRequest
  /// The body of the request, a stream drained.
  package var requestBody: Data
  package var head: HTTPResponse
  package var body: Data
  package var summary: TransportSummary
  /// Whether the body was read to its end.
  package var isWhole: Bool
  /// When it was sent and how long it took, where times are kept.
  package var times: Times?
  /// Whether the bodies are to be replayed to the byte; otherwise they are for people, and what is no text may be left out.
  package var isReplayed = true

  package struct Times: Sendable {
    package var started: Date
    package var elapsed: Duration

    package init(started: Date, elapsed: Duration) {
      self.started = started
      self.elapsed = elapsed
    }
  }

  package init(
    request: HTTPRequest, requestBody: Data, head: HTTPResponse, body: Data, summary: TransportSummary,
    isWhole: Bool, times: Times?
  ) {
    self.request = request
    self.requestBody = requestBody
    self.head = head
    self.body = body
    self.summary = summary
    self.isWhole = isWhole
    self.times = times
  }
}

extension HAREntry {
  /// What is written of an exchange; what the request has under the names of secrets is hidden wherever it comes back.
  package init(_ answer: HARExchange, redaction: Redaction) {
    let redaction = redaction.hidingCredentials(of: answer.request)
    request = HARRequest(answer, redaction: redaction)
    response = HARResponse(answer, redaction: redaction)
    if !answer.isWhole { comment = "The body was given up after \(answer.body.count) bytes." }
    guard let times = answer.times else { return }
    startedDateTime = Self.dateTime(times.started)
    timings = answer.summary.metrics.map(HARTimings.init) ?? HARTimings(elapsed: times.elapsed)
    time = timings.total
  }

  /// Without times of its own, an entry is dated by its place, so that readers that sort by time keep the order.
  package mutating func setPlace(_ index: Int) {
    guard startedDateTime.isEmpty else { return }
    startedDateTime = Self.dateTime(Date(timeIntervalSince1970: Double(index) / 1000))
  }

  /// Of the years from 1 to 9999, as a clock of one's own may have any, and HAR has no others.
  package static func dateTime(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let bounded = seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return Date(timeIntervalSince1970: bounded).formatted(style)
  }
}

extension HARTimings {
  /// Of a transport that measures nothing.
  fileprivate init(elapsed: Duration) { wait = elapsed / .milliseconds(1) }
}

package import Errand
package import Foundation

/// A request and its response, before secrets are hidden.
package struct HARExchange: Sendable {
  package var request: HTTPRequest
  /// Empty if the request has no body, or if the body must not be recorded.
  package var requestBody: Data
  package var head: HTTPResponse
  package var body: Data
  package var summary: TransportSummary
  /// False if the reader abandoned the body.
  package var isWhole: Bool
  /// `nil`: the entry gets no date and no times.
  package var times: Times?
  /// True for a recording to be replayed, false for a log that people read.
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
  package init(_ answer: HARExchange, redaction: Redaction) {
    let redaction = redaction.hidingCredentials(of: answer.request)
    request = HARRequest(answer, redaction: redaction)
    response = HARResponse(answer, redaction: redaction)
    if !answer.isWhole { comment = "The reader abandoned the body after \(answer.body.count) bytes." }
    guard let times = answer.times else { return }
    startedDateTime = Self.dateTime(times.started)
    timings = answer.summary.metrics.map(HARTimings.init) ?? HARTimings(elapsed: times.elapsed)
    time = timings.total
  }

  /// Sets a date in an entry without a date: `index` milliseconds after the start of 1970.
  ///
  /// Some HAR viewers sort entries by date.
  package mutating func setPlace(_ index: Int) {
    guard startedDateTime.isEmpty else { return }
    startedDateTime = Self.dateTime(Date(timeIntervalSince1970: Double(index) / 1000))
  }

  /// Returns a date as ISO 8601 text.
  ///
  /// The year is limited to 1...9999, because HAR years have four digits.
  package static func dateTime(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let bounded = seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return Date(timeIntervalSince1970: bounded).formatted(style)
  }
}

extension HARTimings {
  fileprivate init(elapsed: Duration) { wait = elapsed / .milliseconds(1) }
}

public import Errand
import ErrandHARFormat
public import Foundation

struct HARAttempt: Sendable {
  /// The report of the attempt.
  ///
  /// A logger removes a response body above the limit.
  var report: AttemptReport

  func entries(of dispatch: ExchangeReport, bodyLimit: Int, _ redaction: Redaction) -> [HAREntry] {
    guard let last = report.request else { return [] }
    let redaction = redaction.hidingCredentials(of: last)
    let turnWait = report.number == 1 ? dispatch.turnWait.bounded : .zero
    let waits = report.slotWait.bounded + report.throttleWait.bounded + turnWait
    let hops = report.redirects.indices.map {
      hop($0, waits: waits, in: dispatch, bodyLimit: bodyLimit, redaction: redaction)
    }
    var entries =
      hops + [final(of: last, waits: waits, in: dispatch, bodyLimit: bodyLimit, redaction: redaction)]
    for index in entries.indices {
      let begun = index == 0 ? report.begun : report.redirects[index - 1].followed
      entries[index].startedDateTime = HAREntry.dateTime(
        dispatch.started.addingTimeInterval(begun / .seconds(1)))
      entries[index].time = entries[index].timings.total
    }
    return entries
  }

  /// Returns the entry of a redirect.
  ///
  /// The entry has no response body, because reports keep no such bodies.
  private func hop(
    _ index: Int, waits: Duration, in dispatch: ExchangeReport, bodyLimit: Int, redaction: Redaction
  ) -> HAREntry {
    let redirect = report.redirects[index]
    let begun = index == 0 ? report.begun : report.redirects[index - 1].followed
    let request = redirect.request ?? remembered(index)
    let head = HTTPResponse(
      status: redirect.status, headers: ["Location": redaction.recorded(redirect.to)], url: redirect.from)
    var entry = HAREntry(
      exchange(of: request, head: head, summary: TransportSummary(), bodyLimit: bodyLimit),
      redaction: redaction)
    entry.request.describe(request.body, limit: bodyLimit, redaction: redaction)
    entry.timings = HARTimings(
      elapsed: redirect.followed.bounded - begun.bounded, blocked: index == 0 ? waits : .zero, metrics: nil,
      phase: .wait)
    entry.comment = "\(place(in: dispatch)), redirect \(index + 1)"
    return entry
  }

  /// Makes a request from the URL and the method of a redirect.
  ///
  /// For the first request of the attempt, the method of the last request is used.
  private func remembered(_ index: Int) -> HTTPRequest {
    var request = HTTPRequest(url: report.redirects[index].from)
    request.method = index > 0 ? report.redirects[index - 1].method : report.request?.method ?? .get
    return request
  }

  private func place(in dispatch: ExchangeReport) -> String {
    "Dispatch \(dispatch.id), attempt \(report.number) of \(dispatch.attempts.count)"
  }

  private func final(
    of request: HTTPRequest, waits: Duration, in dispatch: ExchangeReport, bodyLimit: Int,
    redaction: Redaction
  ) -> HAREntry {
    let head = report.response ?? HTTPResponse(status: 0)
    let summary = TransportSummary(trailers: head.trailers, metrics: report.metrics)
    var entry = HAREntry(
      exchange(of: request, head: head, summary: summary, bodyLimit: bodyLimit), redaction: redaction)
    entry.request.describe(request.body, limit: bodyLimit, redaction: redaction)
    if head.body.count > bodyLimit || head.body.isEmpty && report.bodyLength > 0 {
      entry.response.content.leaveOut(report.bodyLength)
    }
    if report.response == nil { entry.response.error = failure(redaction) ?? "cancelled" }
    let begun = report.redirects.last.map { $0.followed.bounded - report.begun.bounded } ?? .zero
    entry.timings = HARTimings(
      elapsed: report.elapsed.bounded - begun, blocked: report.redirects.isEmpty ? waits : .zero,
      metrics: report.metrics, phase: report.phaseOfEnd)
    entry.serverIPAddress = report.metrics?.peer?.address
    entry.comment = comment(in: dispatch, redaction)
    return entry
  }

  private func exchange(
    of request: HTTPRequest, head: HTTPResponse, summary: TransportSummary, bodyLimit: Int
  ) -> HARExchange {
    let body = request.body.data ?? Data()
    var exchange = HARExchange(
      request: request, requestBody: body.count > bodyLimit ? Data() : body, head: head,
      body: head.body.count > bodyLimit ? Data() : head.body, summary: summary, isWhole: true, times: nil)
    exchange.isReplayed = false
    return exchange
  }

  private func failure(_ redaction: Redaction) -> String? {
    report.failure.map { "\($0.kind): \(redaction.text($0.reason).onOneLine)" }
  }

  private func comment(in dispatch: ExchangeReport, _ redaction: Redaction) -> String {
    var parts = [place(in: dispatch)]
    if report.isMocked { parts.append("mocked") }
    if let responder = report.responder { parts.append("answered by \(redaction.text(responder).onOneLine)") }
    if report.isCoalesced { parts.append("shared with another dispatch") }
    if let cache = report.cache { parts.append("from \(cache.source.rawValue)") }
    var text = parts.joined(separator: ", ")
    if let failure = failure(redaction) { text += "; \(failure)" }
    if case .cancelled = report.outcome { text += "; cancelled" }
    if let retry = report.retry {
      text += "; the next attempt follows in \(retry.wait.seconds) (\(retry.source.rawValue))"
    }
    return text.printed
  }
}

extension HARTimings {
  /// Creates the timings.
  ///
  /// Without `metrics`, the time after the waits counts for `phase`.
  fileprivate init(
    elapsed: Duration, blocked: Duration, metrics: TransportSummary.Metrics?, phase: AttemptPhase
  ) {
    var blocked = blocked
    if let metrics {
      self.init(metrics)
    } else {
      self.init()
      let rest = max(0, (elapsed - blocked) / .milliseconds(1))
      switch phase {
      case .before: blocked = max(elapsed, blocked)
      case .nameLookup: dns = rest
      case .connect: connect = rest
      case .secureConnect: (connect, ssl) = (rest, rest)
      case .wait: wait = rest
      }
    }
    if blocked > .zero { self.blocked = max(self.blocked, 0) + blocked / .milliseconds(1) }
  }
}

extension HARRequest {
  fileprivate mutating func describe(_ body: RequestBody, limit: Int, redaction: Redaction) {
    guard !body.isEmpty, body.isProvided || (body.data?.count ?? 0) > limit else { return }
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value
    let comment =
      body.data.map { "The body of \($0.count) bytes was not recorded." } ?? redaction.text("\(body)")
    postData = HARPostData(mimeType: type ?? "", text: "", comment: comment)
    bodySize = -1
  }
}

extension HARContent {
  fileprivate mutating func leaveOut(_ length: Int) {
    (size, text, encoding) = (length, "", nil)
    comment = "The body of \(length) bytes was not recorded."
  }
}

extension ExchangeReport {
  /// Returns the report as a HAR 1.2 file.
  ///
  /// Secrets are hidden, usually by the agent's ``/Errand/Redaction``.
  ///
  /// Each request in the report is an entry, including redirects and retries. A report usually has no
  /// response bodies; a ``HARLogger`` records response bodies. `bodyLimit` is the maximum number of bytes of
  /// a recorded body.
  public func har(bodyLimit: Int = 65_536) -> Data {
    let redaction = printingRedaction
    let entries = attempts.flatMap {
      HARAttempt(report: $0).entries(of: self, bodyLimit: bodyLimit, redaction)
    }
    // Encoding texts and finite numbers cannot fail.
    return (try? HARFile(entries: entries).encoded()) ?? Data()
  }
}

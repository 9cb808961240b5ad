struct ReportTable {
  private let report: ExchangeReport

  init(_ report: ExchangeReport) {
    self.report = report
  }

  var text: String {
    var lines = [heading, ending]
    if report.turnWait.isShown {
      lines.append("Waited \(report.turnWait.seconds) for other serial requests.")
    }
    if !report.attempts.isEmpty { lines += [""] + table }
    return lines.joined(separator: "\n").printed
  }

  private var heading: String {
    guard let first = report.attempts.first, let request = first.request else {
      return number
    }
    let redaction = report.link.redaction(reporting: request)
    guard let redirect = first.redirects.first else {
      return "\(number): \(request.method) \(redaction.url(request.url))"
    }
    return "\(number): \(redirect.sent.prefix)\(redaction.url(redirect.from))"
  }

  private var number: String { "Request" + " \(report.id)" }

  private var ending: String {
    let result =
      switch report.outcome {
      case .success: "Success"
      case .failure: "Failure"
      case .cancelled: "Cancelled"
      }
    let count = report.attempts.count
    return "\(result) at \(report.lastStage) after \(report.elapsed.seconds),"
      + " \(count) attempt\(count == 1 ? "" : "s")."
  }

  private var table: [String] {
    let rows = report.attempts.map(AttemptRow.init)
    let cells = [AttemptRow.titles] + rows.map(\.cells)
    let widths = AttemptRow.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    let margin = String(repeating: " ", count: widths[0] + 2)
    let notes = [[]] + rows.map { $0.notes.map { margin + $0 } }
    return zip(cells, notes).flatMap { [Self.line($0, widths: widths)] + $1 }
  }

  private static func line(_ cells: [String], widths: [Int]) -> String {
    let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
    var line = padded.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}

package struct AttemptRow {
  static let titles = ["#", "begun", "took", "answer", "bytes", "connection"]

  private let attempt: AttemptReport
  private let redaction: Redaction

  package init(_ attempt: AttemptReport) {
    self.attempt = attempt
    redaction = attempt.link.redaction(reporting: attempt.request)
  }

  var cells: [String] {
    [
      "\(attempt.number)", attempt.begun.seconds, attempt.elapsed.seconds, answer, "\(attempt.bodyLength)",
      connection,
    ]
  }

  var summary: String {
    let facts = [answer, "\(attempt.bodyLength) bytes", "took \(attempt.elapsed.seconds)", connection]
    return "Attempt " + "\(attempt.number): \(facts.filter { !$0.isEmpty }.joined(separator: ", "))"
  }

  private var answer: String { attempt.response?.status.description ?? "no answer" }

  package var connection: String {
    if attempt.isMocked { return "mocked" }
    if let responder = attempt.responder { return "answered by \(redaction.text(responder).onOneLine)" }
    if attempt.metrics == nil, let cache = attempt.cache, cache.source != .network { return "cached" }
    guard let metrics = attempt.metrics else { return attempt.isCoalesced ? "shared" : "" }
    let kind = attempt.isCoalesced ? "shared" : metrics.isConnectionReused ? "reused" : "new"
    let proxy = metrics.proxy.map { "via \(redaction.text($0))" }
    let facts = [metrics.httpVersion, metrics.tls?.version, proxy]
    return ([kind] + facts.compactMap(\.self)).joined(separator: ", ")
  }

  package var notes: [String] {
    [waits].compactMap(\.self) + redirects
      + [cache, withheld, transfer].compactMap(\.self) + load + [verdict, decision].compactMap(\.self)
  }

  private var waits: String? {
    let waits = [
      (attempt.throttleWait, "the rate limit"), (attempt.slotWait, "a slot"),
      (attempt.authenticationWait, "the authenticator"),
    ]
    let clauses = waits.filter { $0.0.isShown }.map { "\($0.0.seconds) for \($0.1)" }
    return clauses.isEmpty ? nil : "Waited \(clauses.joined(separator: ", "))."
  }

  private var redirects: [String] {
    // The time of the first request excludes the waits for rate limit and slot, which `waits` shows.
    var begun = attempt.begun.bounded + attempt.throttleWait.bounded + attempt.slotWait.bounded
    return attempt.redirects.map { redirect in
      let time = redirect.followed.bounded - begun
      begun = redirect.followed.bounded
      let after = time.isShown ? " after \(time.seconds)" : ""
      return "\(redirect.status)\(after) led to \(redirect.method) \(redaction.url(redirect.to))"
    }
  }

  private var withheld: String? {
    let names = attempt.withheld.joined(separator: ", ")
    return names.isEmpty ? nil : "Not sent to another origin: \(redaction.text(names).onOneLine)."
  }

  private var cache: String? {
    attempt.cache.map { "Cache: \(redaction.text("\($0)").onOneLine)." }
  }

  private var transfer: String? {
    guard let metrics = attempt.metrics else { return nil }
    let phases = [
      ("name", metrics.nameLookup), ("connected", metrics.connect), ("TLS", metrics.secureConnect),
      ("first byte", metrics.firstByte), ("last byte", metrics.total),
    ]
    var clauses = [phases.filter { $0.1.isShown }.map { "\($0.0) \($0.1.seconds)" }.joined(separator: ", ")]
    if metrics.bytesSent > 0 || metrics.bytesReceived > 0 {
      clauses.append("\(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received")
    }
    if metrics.resends > 0 { clauses.append("sent again over another connection") }
    let text = clauses.filter { !$0.isEmpty }.joined(separator: "; ")
    return text.isEmpty ? nil : text
  }

  private var load: [String] { attempt.load?.notes.map { redaction.text($0).onOneLine } ?? [] }

  private var verdict: String? {
    switch attempt.outcome {
    case .success: nil
    case .cancelled: "Cancelled at \(attempt.stage)."
    case .failure(let error): "Failed at \(error.stage): \(redaction.text(error.reason).onOneLine)."
    }
  }

  private var decision: String? {
    if let retry = attempt.retry { return "Retry in \(retry.wait.seconds), \(retry.source.clause)." }
    return attempt.noRetryReason.map { "No retry: \(redaction.text($0).onOneLine)." }
  }
}

extension Duration {
  /// True if the duration is at least 0.001 s after rounding.
  var isShown: Bool { self >= .microseconds(500) }
}

extension AttemptReport.Retry.Source {
  fileprivate var clause: String {
    switch self {
    case .policy: "by the retry policy"
    case .retryAfter: "as the server's Retry-After asks"
    case .rateLimit: "as the server's rate limit asks"
    case .request: "as the request decided"
    case .hooks: "as a hook of the agent decided"
    case .failover: "at another base"
    case .authenticator: "with other credentials"
    }
  }
}

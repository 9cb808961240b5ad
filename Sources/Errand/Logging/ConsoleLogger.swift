import Foundation

/// Logs dispatches as text; secrets are hidden by the agent's ``Redaction``.
///
/// Each line begins with the number of the dispatch and of the attempt: `>` is sent (again for each redirect), `<` received, `!` a failed
/// attempt, `=` the end. `302 Found → URL` is a redirect that is followed; `from cache` and `revalidated` stand behind an answer of the
/// cache, the first with what was asked, as nothing is sent for it. The levels, each adding to the one before:
///
/// ``Level/line``
/// ```
/// [7.1] > GET https://api.example.com/users/7 (profile)
/// [7.1] < 503 Service Unavailable, 4 bytes, 0.012 s
/// [7.1] ! status 503 Service Unavailable is not in 200..<300; attempt 2 follows in 1.500 s (policy)
/// [7.2] > GET https://api.example.com/users/7 (profile)
/// [7.2] < 200 OK, 8 bytes, 0.009 s
/// [7] = success, 2 attempts, 1.521 s
/// ```
/// A failure is named there once more: `[8] = failure (decoding), 1 attempt, 0.007 s: GET https://api.example.com/users/8`. A redirect, and
/// an answer of the cache:
/// ```
/// [9.1] > GET https://api.example.com/me
/// [9.1] < 302 Found → https://api.example.com/users/7
/// [9.1] > GET https://api.example.com/users/7
/// [9.1] < 200 OK, 8 bytes, 0.020 s
/// [10.1] < 200 OK, 8 bytes, 0.000 s, from cache: GET https://api.example.com/users/7
/// ```
///
/// ``Level/headers``
/// ```
/// [7.2] > GET https://api.example.com/users/7 (profile)
/// [7.2] > Accept: application/json
/// [7.2] > Authorization: Bearer <redacted>
/// [7.2] < 200 OK, 8 bytes, 0.009 s
/// [7.2] < Content-Type: application/json
/// ```
/// ``Level/body``
/// ```
/// [7.2] < 200 OK, 8 bytes, 0.009 s
/// [7.2] < Content-Type: application/json
/// [7.2] < {"id":7}
/// ```
/// ``Level/off`` prints nothing.
public struct ConsoleLogger: Accessory {
  /// How much is printed.
  public enum Level: Int, Sendable, Hashable, Comparable {
    /// Nothing.
    case off
    /// One line for each request, response, failure and end.
    case line
    /// The header fields too.
    case headers
    /// The bodies too, each cut after the logger's `bodyLimit`, with `…` for the rest.
    case body

    /// Whether `a` prints less than `b`.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  private let level: @Sendable (RequestContext) -> Level
  private let bodyLimit: Int
  private let sink: any LogSink

  /// Makes a logger that writes into a sink.
  ///
  /// - Parameters:
  ///   - level: how much is printed; `.line` by default.
  ///   - bodyLimit: how many characters of a body are printed; 16,384 by default.
  ///   - sink: gets the events; the standard output by default, in colour on a terminal that has it.
  public init(level: Level = .line, bodyLimit: Int = 16_384, sink: any LogSink = ConsoleSink()) {
    self.init(bodyLimit: bodyLimit, sink: sink) { _ in level }
  }

  /// Makes a logger that prints as much of a dispatch as a function says.
  ///
  /// ```swift
  /// let logger = ConsoleLogger { context in context.comment == "health" ? .off : .headers }
  /// ```
  ///
  /// - Parameters:
  ///   - bodyLimit: how many characters of a body are printed; 16,384 by default.
  ///   - sink: gets the events; the standard output by default, in colour on a terminal that has it.
  ///   - level: how much is printed of a dispatch; asked at each event, so be quick.
  public init(
    bodyLimit: Int = 16_384, sink: any LogSink = ConsoleSink(),
    level: @escaping @Sendable (RequestContext) -> Level
  ) {
    self.bodyLimit = max(0, bodyLimit)
    self.sink = sink
    self.level = level
  }

  /// Makes a logger that calls a function.
  ///
  /// - Parameters:
  ///   - level: how much is printed; `.line` by default.
  ///   - output: gets the lines of one event as one text without a line break at its end; called from any thread.
  public init(level: Level = .line, output: @escaping @Sendable (String) -> Void) {
    self.init(level: level, sink: FunctionSink(output: output))
  }

  /// Prints what is sent.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    let level = level(context)
    guard level > .off else { return }
    let redaction = context.redaction
    writeHops(redaction: redaction, in: context)
    var lines = [subject(of: request, redaction: redaction, in: context)]
    lines += detail(of: request.headers, body: request.body.data, level: level, redaction: redaction)
    if level >= .body, request.body.provider != nil { lines.append("(\(redaction.text("\(request.body)")))") }
    if level >= .headers, !request.trailers.isEmpty {
      lines.append("trailers: \(request.trailers.text(by: redaction))")
    }
    write(lines, as: .sent, in: context)
  }

  /// Prints what was received, and why the attempt failed.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let level = level(context)
    guard level > .off else { return }
    let redaction = context.redaction
    writeHops(redaction: redaction, in: context)
    if let response = attempt.response {
      let source = attempt.isMocked ? " (mocked)" : cached(attempt, redaction: redaction, in: context)
      var lines = ["\(response.status), \(attempt.bodyLength) bytes, \(attempt.elapsed.seconds)\(source)"]
      lines += detail(of: response.headers, body: response.body, level: level, redaction: redaction)
      write(lines, as: .received, in: context, of: attempt)
    }
    if let failure = attempt.failure {
      let next = attempt.retry.map {
        "; attempt \(attempt.number + 1) follows in \($0.wait.seconds) (\($0.source.rawValue))"
      }
      write(
        [redaction.text(failure.reason) + (next ?? "")], as: .failed,
        severity: attempt.retry == nil ? .error : .warning, in: context, of: attempt)
    }
  }

  /// Prints how the dispatch ended.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    guard level(context) > .off else { return }
    let (outcome, severity, subject): (String, LoggedEvent.Severity, String) =
      switch report.outcome {
      case .success: ("success", .info, "")
      case .failure(let error): ("failure (\(error.kind))", .error, ": \(error.subject)")
      case .cancelled: ("cancelled", .warning, "")
      }
    let count = report.attempts.count
    let line = "\(outcome), \(count) attempt\(count == 1 ? "" : "s"), \(report.elapsed.seconds)\(subject)"
    var event = LoggedEvent(
      kind: .ended, severity: severity, time: context.date, context: context, lines: [line.printed])
    event.exchange = report
    sink.write(event)
  }

  /// What was asked, and the comment of the request.
  private func subject(of request: HTTPRequest, redaction: Redaction, in context: RequestContext) -> String {
    let comment = context.comment.map { " (\(redaction.text($0)))" } ?? ""
    return "\(request.method) \(redaction.url(request.url))\(comment)"
  }

  /// Prints the redirects that were followed since the last line.
  private func writeHops(redaction: Redaction, in context: RequestContext) {
    for hop in context.dispatched.untoldHops {
      write(["\(hop.status) → \(redaction.url(hop.to))"], as: .received, in: context)
    }
  }

  /// That the cache has answered; what was asked, too, where nothing was sent.
  private func cached(_ attempt: AttemptReport, redaction: Redaction, in context: RequestContext) -> String {
    let asked = attempt.request.map { ": \(subject(of: $0, redaction: redaction, in: context))" } ?? ""
    return switch attempt.cache?.source {
    case .cache: ", from cache\(asked)"
    case .stale: ", from cache, stale\(asked)"
    case .revalidated: ", revalidated"
    case .network, .nowhere, nil: ""
    }
  }

  private func write(
    _ lines: [String], as kind: LoggedEvent.Kind, severity: LoggedEvent.Severity = .info,
    in context: RequestContext,
    of attempt: AttemptReport? = nil
  ) {
    // Each line of a body or a message is one of its own, so that none can pass for an event.
    var event = LoggedEvent(
      kind: kind, severity: severity, time: context.date, context: context,
      lines: lines.flatMap(\.lines).map(\.printed))
    (event.attempt, event.report) = (context.attempt, attempt)
    sink.write(event)
  }

  private func detail(
    of headers: HTTPHeaders, body: Data?, level: Level, redaction: Redaction
  ) -> [String] {
    guard level >= .headers else { return [] }
    var lines = redaction.headers(headers).fields.map { "\($0.name): \($0.value)" }
    if level >= .body, let body, !body.isEmpty {
      lines.append(redaction.excerpt(of: body, type: headers["Content-Type"], length: bodyLimit))
    }
    return lines
  }
}

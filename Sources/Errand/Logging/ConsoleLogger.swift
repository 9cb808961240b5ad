import Foundation

/// Logs dispatches as text, after redaction; see ``Redaction``.
///
/// A line begins with the numbers of the dispatch and the attempt. `>` marks a request, `<` a response or a
/// redirect, and `!` a failed attempt. `=` marks the end of the dispatch, without an attempt number.
///
/// The output at ``Level/line``:
///
/// ```
/// [7.1] > GET https://api.example.com/users/7 (profile)
/// [7.1] < 503 Service Unavailable, 4 bytes, 0.012 s
/// [7.1] ! status 503 Service Unavailable is not in 200..<300; attempt 2 follows in 1.500 s (policy)
/// [7.2] > GET https://api.example.com/users/7 (profile)
/// [7.2] < 200 OK, 8 bytes, 0.009 s
/// [7] = success, 2 attempts, 1.521 s
/// ```
///
/// ``Level/headers`` adds lines such as `[7.2] > Accept: application/json`. ``Level/body`` adds most
/// bodies in memory.
public struct ConsoleLogger: Accessory {
  /// The amount of output.
  public enum Level: Int, Sendable, Hashable, Comparable {
    /// No output.
    case off
    /// The events, usually one line each.
    case line
    /// Additionally the header fields, and the trailers of requests.
    case headers
    /// Additionally the bodies that are plain data in memory, cut after `bodyLimit` characters. Other request
    /// bodies appear as a short description.
    case body

    /// Returns true if `a` prints less than `b`.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  private let level: @Sendable (RequestContext) -> Level
  private let bodyLimit: Int
  private let sink: any LogSink

  /// Creates a logger that writes to a sink.
  ///
  /// - Parameters:
  ///   - level: The amount of output; `.line` by default.
  ///   - bodyLimit: The maximum number of a body's characters in the output; 16,384 by default.
  ///   - sink: The destination; the standard output by default.
  public init(level: Level = .line, bodyLimit: Int = 16_384, sink: any LogSink = .console) {
    self.init(bodyLimit: bodyLimit, sink: sink) { _ in level }
  }

  /// Creates a logger with a level for each dispatch.
  ///
  /// ```swift
  /// let logger = ConsoleLogger { context in context.comment == "health" ? .off : .headers }
  /// ```
  ///
  /// The closure `level` returns the amount of output. A dispatch may call the closure several times, so the
  /// closure must be fast.
  public init(
    bodyLimit: Int = 16_384, sink: any LogSink = .console,
    level: @escaping @Sendable (RequestContext) -> Level
  ) {
    self.bodyLimit = max(0, bodyLimit)
    self.sink = sink
    self.level = level
  }

  /// Creates a logger that passes each event to a closure.
  ///
  /// - Parameters:
  ///   - level: The amount of output; `.line` by default.
  ///   - output: Receives the text of each event, on any thread.
  public init(level: Level = .line, output: @escaping @Sendable (String) -> Void) {
    self.init(level: level, sink: FunctionSink(output: output))
  }

  /// Prints the request.
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

  /// Prints the response, and the reason of a failure.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let level = level(context)
    guard level > .off else { return }
    let redaction = context.redaction
    writeHops(redaction: redaction, in: context)
    if let response = attempt.response {
      let source = source(of: attempt, redaction: redaction, in: context)
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

  /// Prints the outcome of the dispatch.
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

  private func subject(of request: HTTPRequest, redaction: Redaction, in context: RequestContext) -> String {
    let comment = context.comment.map { " (\(redaction.text($0)))" } ?? ""
    return "\(request.method) \(redaction.url(request.url))\(comment)"
  }

  private func writeHops(redaction: Redaction, in context: RequestContext) {
    for hop in context.dispatched.unreportedRedirects {
      write(["\(hop.status) → \(redaction.url(hop.to))"], as: .received, in: context)
    }
  }

  private func source(
    of attempt: AttemptReport, redaction: Redaction, in context: RequestContext
  ) -> String {
    if attempt.isMocked { return " (mocked)" }
    if let responder = attempt.responder { return " (answered by \(redaction.text(responder).onOneLine))" }
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
    // The texts are split into lines, because ``LoggedEvent/text`` puts a prefix before each line.
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

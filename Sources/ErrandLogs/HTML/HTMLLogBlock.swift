import Errand
import ErrandJSON
import Foundation

/// Encodes each record as JSON in a script element of the page.
///
/// `<`, `>` and `&` are escaped, so that network content cannot end the element.
enum HTMLLogBlock {
  private static let coding = JSONCoding()

  static func text(of entry: HTMLLogEntry, _ limits: HTMLLogger.Limits) -> Data {
    switch entry {
    case .start(let start): text(start)
    case .event(let event): text(of: event, limits)
    case .text(let text, _): text
    }
  }

  static func text(of event: HTMLLogEvent, _ limits: HTMLLogger.Limits) -> Data {
    let redaction = event.context.redaction
    switch event.kind {
    case .sent(let sent):
      return text(
        HTMLLogSend(
          event, sent: sent, redaction: redaction.hidingCredentials(of: sent.request), limits: limits))
    case .attemptStopped(let attempt):
      let redaction = attempt.request.map { redaction.hidingCredentials(of: $0) } ?? redaction
      return text(HTMLLogAttempt(event, report: attempt, redaction: redaction, limits: limits))
    case .shown(let shown):
      return text(HTMLLogReplacedBody(event, text: shown, redaction: redaction, limits: limits))
    case .stopped(let report):
      return text(HTMLLogStop(event, report: report, redaction: redaction))
    }
  }

  static func text(ofRun title: String, page: Int) -> Data {
    struct Run: Encodable {
      var kind = "run"
      let title: String
      let page: Int
    }
    return text(Run(title: title, page: page))
  }

  static func text(ofNext page: Int) -> Data {
    struct Next: Encodable {
      var kind = "next"
      let page: Int
    }
    return text(Next(page: page))
  }

  static func text(ofLost count: Int) -> Data {
    struct Lost: Encodable {
      var kind = "lost"
      let count: Int
    }
    return text(Lost(count: count))
  }

  static func text(_ record: some Encodable) -> Data {
    guard let json = try? coding.encode(record) else { return Data() }
    var text = Data(capacity: json.count + json.count / 8 + 64)
    text.append(contentsOf: opening)
    json.withUnsafeBytes { append($0, to: &text) }
    text.append(contentsOf: closing)
    return text
  }

  private static func append(_ json: UnsafeRawBufferPointer, to text: inout Data) {
    var start = 0
    for (index, byte) in json.enumerated() {
      guard let escape = escape(of: byte) else { continue }
      text.append(contentsOf: json[start..<index])
      text.append(contentsOf: escape)
      start = index + 1
    }
    text.append(contentsOf: json[start...])
  }

  private static func escape(of byte: UInt8) -> [UInt8]? {
    switch byte {
    case UInt8(ascii: "<"): escapes.less
    case UInt8(ascii: ">"): escapes.greater
    case UInt8(ascii: "&"): escapes.ampersand
    default: nil
    }
  }

  private static let opening = Array(#"<script type="application/json">"#.utf8)
  private static let closing = Array("</script>\n".utf8)
  private static let escapes = (
    less: Array(#"\u003C"#.utf8), greater: Array(#"\u003E"#.utf8), ampersand: Array(#"\u0026"#.utf8)
  )
}

/// The start of a dispatch.
///
/// The comment is left out, because some secrets are unknown before the request is built.
struct HTMLLogStart: Encodable, Sendable {
  private var kind = "start"
  let number: Int
  private let id: UInt64
  private let type: String
  /// Milliseconds since 1970.
  private let time: Double

  init(number: Int, in context: RequestContext, at date: Date) {
    self.number = number
    id = context.id
    type = "\(Swift.type(of: context.request))"
    time = (date.timeIntervalSince1970 * 1000).rounded()
  }
}

private struct HTMLLogSend: Encodable {
  var kind = "send"
  let number: Int
  let attempt: Int
  let comment: String?
  let method: String
  let url: String
  let headers: [[String]]
  let trailers: [[String]]?
  let body: HTMLLogBody
  let curl: String
  /// Milliseconds from the start of the dispatch.
  let at: Double

  init(_ event: HTMLLogEvent, sent: HTMLLogRequest, redaction: Redaction, limits: HTMLLogger.Limits) {
    let request = sent.request
    number = event.number
    attempt = event.context.attempt
    comment = event.context.comment.map { redaction.text($0).printed }
    method = request.method.token.printed
    url = redaction.url(request.url).printed
    at = sent.time.inMilliseconds
    headers = HTMLLogBlock.fields(request.headers, redaction: redaction)
    trailers = request.trailers.shown(by: redaction).map { HTMLLogBlock.fields($0, redaction: redaction) }
    body = HTMLLogBody(
      of: sent, isOmitted: event.detail == .heads, redaction: redaction, limits: limits)
    let isWanted = event.detail != .heads || request.body.isEmpty
    let isWhole = isWanted && !sent.isCut && (sent.length ?? 0) <= limits.body
    var whole = request
    if !isWhole {
      whole.body = .leftOut(length: sent.length.map { Int64($0) })
    }
    curl = whole.curlCommand(redaction: redaction)
  }
}

private struct HTMLLogAttempt: Encodable {
  private struct Phases: Encodable {
    let name: Double
    let connect: Double
    let secure: Double
    let firstByte: Double
    let total: Double
    let sent: Int64
    let received: Int64
    let isReused: Bool
  }

  private struct Redirect: Encodable {
    let status: String
    let method: String
    let url: String
    /// Milliseconds from the start of the dispatch.
    let at: Double
  }

  private struct Retry: Encodable {
    let wait: Double
    let source: String
  }

  var kind = "attempt"
  let number: Int
  let attempt: Int
  let method: String?
  let url: String?
  let status: Int?
  let phrase: String?
  let headers: [[String]]?
  let trailers: [[String]]?
  let body: HTMLLogBody?
  let length: Int
  let begun: Double
  let elapsed: Double
  /// The waits in milliseconds: for the rate limit, for a slot of the origin, and for the authenticator.
  let waits: [Double]
  private let phases: Phases?
  /// The phase in which the attempt ended.
  ///
  /// The page shows `phase` only without measured `phases`.
  let phase: AttemptPhase
  let stage: Stage
  private let redirects: [Redirect]
  let connection: String
  let cache: ExchangeReport.CacheVerdict.Source?
  let notes: [String]
  let failure: String?
  let failureKind: String?
  let isCancelled: Bool
  private let retry: Retry?

  init(
    _ event: HTMLLogEvent, report: AttemptReport, redaction: Redaction, limits: HTMLLogger.Limits
  ) {
    let (row, response) = (AttemptRow(report), report.response)
    (number, attempt) = (event.number, report.number)
    method = report.request?.method.token.printed
    url = report.request.map { redaction.url($0.url).printed }
    status = response?.status.code
    phrase = response?.status.description
    headers = response.map { HTMLLogBlock.fields($0.headers, redaction: redaction) }
    trailers = response.flatMap {
      $0.trailers.fields.isEmpty ? nil : HTMLLogBlock.fields($0.trailers, redaction: redaction)
    }
    body = response.map {
      HTMLLogBody(
        of: $0, length: report.bodyLength, detail: event.detail, redaction: redaction, limits: limits)
    }
    length = report.bodyLength
    (begun, elapsed) = (report.begun.inMilliseconds, report.elapsed.inMilliseconds)
    waits = [report.throttleWait, report.slotWait, report.authenticationWait].map(\.inMilliseconds)
    phases = report.metrics.map { metrics in
      Phases(
        name: metrics.nameLookup.inMilliseconds, connect: metrics.connect.inMilliseconds,
        secure: metrics.secureConnect.inMilliseconds, firstByte: metrics.firstByte.inMilliseconds,
        total: metrics.total.inMilliseconds, sent: metrics.bytesSent, received: metrics.bytesReceived,
        isReused: metrics.isConnectionReused)
    }
    (phase, stage, cache) = (report.phaseOfEnd, report.stage, report.cache?.source)
    redirects = report.redirects.map { redirect in
      Redirect(
        status: "\(redirect.status)", method: redirect.method.token.printed,
        url: redaction.url(redirect.to).printed, at: redirect.followed.inMilliseconds)
    }
    connection = row.connection.printed
    notes = row.notes.map(\.printed)
    failure = report.failure.map { redaction.text($0.reason).printed }
    failureKind = report.failure?.kind.name
    isCancelled = if case .cancelled = report.outcome { true } else { false }
    retry = report.retry.map { Retry(wait: $0.wait.inMilliseconds, source: $0.source.rawValue) }
  }
}

private struct HTMLLogReplacedBody: Encodable {
  var kind = "body"
  let number: Int
  let attempt: Int
  let body: HTMLLogBody

  init(_ event: HTMLLogEvent, text: String, redaction: Redaction, limits: HTMLLogger.Limits) {
    (number, attempt) = (event.number, event.context.attempt)
    body = HTMLLogBody(shown: text, redaction: redaction, limits: limits)
  }
}

private struct HTMLLogStop: Encodable {
  var kind = "stop"
  let number: Int
  /// The comment of the dispatch.
  ///
  /// A dispatch without a sent request has no earlier record with the comment.
  let comment: String?
  let outcome: OutcomeRecord
  let stage: Stage
  let elapsed: Double
  let turnWait: Double
  let errorKind: String?
  let error: String?

  init(_ event: HTMLLogEvent, report: ExchangeReport, redaction: Redaction) {
    number = event.number
    comment = event.context.comment.map { comment in
      let unbuilt = report.request == nil ? event.context.unbuilt : nil
      return (unbuilt.map { redaction.hidingCredentials(of: $0) } ?? redaction).text(comment).printed
    }
    outcome = OutcomeRecord(report.outcome)
    stage = report.lastStage
    elapsed = report.elapsed.inMilliseconds
    turnWait = report.turnWait.inMilliseconds
    errorKind = report.outcome.error?.kind.name
    error = report.outcome.error.map { redaction.text("\($0)").printed }
  }
}

extension RequestContext {
  fileprivate var unbuilt: HTTPRequest {
    HTTPRequest(url: URL(fileURLWithPath: "/"), headers: requestHeaders)
  }
}

extension HTMLLogBlock {
  fileprivate static func fields(_ headers: HTTPHeaders, redaction: Redaction) -> [[String]] {
    redaction.headers(headers).fields.map { [$0.name.printed, $0.value.printed] }
  }
}

extension Duration {
  fileprivate var inMilliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}

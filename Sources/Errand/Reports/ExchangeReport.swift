public import Foundation

/// The report of a dispatch: the requests, responses, durations and decisions.
///
/// The agent's clock measures the times of the dispatch and the attempts. For secrets in descriptions, see
/// ``Redaction``.
public struct ExchangeReport: Sendable {
  /// The number of the dispatch within its agent.
  public var id: UInt64
  /// The start of the dispatch.
  public var started: Date
  /// The duration of the dispatch.
  public var elapsed: Duration
  /// The wait for other serial requests; part of ``elapsed``.
  public var turnWait: Duration = .zero
  /// The attempts in order.
  public var attempts: [AttemptReport]
  /// The outcome of the dispatch.
  public var outcome: Outcome<Void>
  /// The last stage before the outcome hooks.
  ///
  /// The retry decision does not count as a stage here. If the wait before a retry was cancelled, the stage
  /// is ``Stage/retry``.
  public var lastStage: Stage
  var link = RedactionSource()
  package var printingRedaction: Redaction { link.redaction(reporting: request) }

  /// The last request of the last attempt; `nil`: no request.
  public var request: HTTPRequest? { attempts.last?.request }
  /// The head of the last attempt's response; `nil`: no response.
  public var response: HTTPResponse? { attempts.last?.response }
  /// The cache's verdict in the last attempt; `nil`: none.
  public var cache: ExchangeReport.CacheVerdict? { attempts.last?.cache }
}

/// The report of an attempt.
public struct AttemptReport: Sendable {
  /// The number of the attempt, from 1.
  public var number: Int
  /// The last request, after any redirects; `nil`: no request.
  public var request: HTTPRequest?
  /// The response to the last request, usually without a body; `nil`: no response.
  public var response: HTTPResponse?
  /// The followed redirects in order.
  public var redirects: [AttemptReport.Redirect]
  /// The number of response body bytes read, after any content decoding.
  ///
  /// For a body in memory, the number after the `filterResponse` hooks.
  public var bodyLength: Int
  /// The transport's measurements for the last request; `nil`: none.
  public var metrics: TransportSummary.Metrics?
  /// True if the request's `mockResponse` replaced the server for the last request.
  public var isMocked: Bool
  /// The name of the hook that replaced the server for the last request; `nil`: none.
  ///
  /// See `LocalResponder` of `ErrandService`.
  public var responder: String?
  /// True if a request of the attempt joined a running transfer; see ``CoalescingPolicy``.
  public var isCoalesced = false
  var transferCount = 0
  var isLastShared = false
  /// The cache's verdict on the last request; `nil`: none.
  public var cache: ExchangeReport.CacheVerdict? {
    get { verdictBox?.verdict }
    set { verdictBox = newValue.map(VerdictBox.init) }
  }
  /// The verdict, in an object to keep the report small.
  var verdictBox: VerdictBox?
  /// The names of withheld headers, trailers and authenticators.
  ///
  /// Errand withholds possible secrets from untrusted origins (``AgentConfiguration/trustedOrigins``), and
  /// after a redirect to another origin.
  public var withheld: [String] = []
  /// The start of the attempt, counted from the start of the dispatch.
  public var begun: Duration
  /// The duration of the attempt, without a renewal of credentials after the response.
  public var elapsed: Duration
  /// The wait for a slot of the origin; part of ``elapsed``.
  public var slotWait: Duration = .zero
  /// The wait for the origin's ``RateLimit``; part of ``elapsed``.
  public var throttleWait: Duration = .zero
  /// The time for signing, and for renewing credentials before or after the response.
  public var authenticationWait: Duration = .zero
  /// The outcome of the attempt.
  public var outcome: Outcome<Void>
  /// The last stage reached.
  public var stage: Stage
  /// The retry planned after the attempt; `nil`: no retry planned.
  public var retry: Retry?
  /// The reason against a retry, as a clause; `nil`: none.
  public var noRetryReason: String?
  var sentBefore = 0
  var loadBox: AttemptLoadBox?
  var link = RedactionSource()

  /// The number of requests that the dispatch sent until the end of the attempt.
  ///
  /// The first request does not count, as in OpenTelemetry.
  public var resendCount: Int { max(0, Self.sum(max(0, sentBefore), sentCount) - 1) }

  mutating func continueCount(after earlier: AttemptReport?) {
    if let earlier { sentBefore = Self.sum(max(0, earlier.sentBefore), earlier.sentCount) }
  }

  /// The number of requests handed to the transport.
  ///
  /// Second copies of slow transfers count too, and usually the transport's repetitions of the last request.
  public var sentCount: Int {
    Self.sum(max(0, transferCount), isLastShared ? 0 : max(0, metrics?.resends ?? 0))
  }

  /// Adds two numbers, and returns `Int.max` for an overflow.
  ///
  /// A custom transport or a decoded report may have very large numbers.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }

  /// The error of a failure; `nil` after a success or a cancellation.
  public var failure: RequestError? { outcome.error }

  /// A retry decision.
  public struct Retry: Sendable, Hashable {
    /// The source of a retry decision.
    public enum Source: String, Codable, Sendable, Hashable {
      /// The ``RetryPolicy``.
      case policy
      /// The ``RetryPolicy``, with the server's `Retry-After`.
      case retryAfter
      /// The ``RetryPolicy``, with the server's `RateLimit` or a similar header.
      case rateLimit
      /// The request's ``Request/retryDecision(for:suggested:context:)``.
      case request
      /// A hook of the agent.
      case hooks
      /// The ``RetryPolicy``, at another base URL; see `Failover` of `ErrandService`.
      case failover
      /// The ``Authenticator``, after a renewal of credentials.
      case authenticator
    }

    /// The planned wait before the next attempt.
    public var wait: Duration
    /// The source of the decision.
    public var source: Source
  }
}

final class VerdictBox: Sendable {
  let verdict: ExchangeReport.CacheVerdict

  init(_ verdict: ExchangeReport.CacheVerdict) { self.verdict = verdict }
}

extension ExchangeReport: PrintedByDescription {
  /// The report as a redacted table.
  ///
  /// ```
  /// Request 7: GET http://localhost:8080/users/7
  /// Success at decode after 1.324 s, 2 attempts.
  ///
  /// #  begun    took     answer                   bytes  connection
  /// 1  0.000 s  0.120 s  503 Service Unavailable  12     new, HTTP/1.1
  ///    connected 0.015 s, first byte 0.118 s, last byte 0.119 s; 210 bytes sent, 180 received
  ///    Failed at validate: status 503 Service Unavailable is not in 200..<300.
  ///    Retry in 1.000 s, as the server's Retry-After asks.
  /// 2  1.120 s  0.204 s  200 OK                   512    reused, HTTP/1.1
  ///    first byte 0.198 s, last byte 0.201 s; 210 bytes sent, 702 received
  /// ```
  public var description: String { ReportTable(self).text }
}

extension AttemptReport: PrintedByDescription {
  /// The redacted text: a line of facts about the attempt, then notes such as waits and redirects.
  public var description: String {
    let row = AttemptRow(self)
    return ([row.summary] + row.notes).joined(separator: "\n   ").printed
  }
}

extension ExchangeReport: Codable {
  /// Encodes the redacted report, without bodies and causes of errors; times are in seconds.
  public func encode(to encoder: any Encoder) throws {
    try ExchangeRecord(self).encode(to: encoder)
  }

  /// Decodes the result of ``encode(to:)``; hidden secrets stay hidden.
  public init(from decoder: any Decoder) throws {
    self = try ExchangeRecord(from: decoder).report
  }
}

extension RequestError {
  /// The report of the failed or cancelled dispatch, if any; usually `nil` in hooks and inside a report.
  public var report: ExchangeReport? { (account as? Account)?.report }

  func reported(in report: ExchangeReport) -> RequestError {
    var error = self
    error.account = Account(report)
    return error
  }

  private final class Account: Sendable {
    let report: ExchangeReport

    init(_ report: ExchangeReport) { self.report = report }
  }
}

extension Outcome {
  func reported(in report: ExchangeReport) -> Outcome {
    guard case .failure(let error) = self else { return self }
    return .failure(error.reported(in: report))
  }
}

public import Foundation

/// The account of one dispatch: what was sent and came back, how long each step took, and who decided what.
///
/// In every outcome it is in ``RequestHandle/report``, ``RequestError/report`` and ``Accessory/requestDidStop(_:context:)``, and with
/// a value in ``Received/report``. Printing it gives a table; see ``description``. Encoding it gives the same for machines;
/// see ``encode(to:)``. Secrets are hidden in both.
public struct ExchangeReport: Sendable {
  /// The number of the dispatch in its agent.
  public var id: UInt64
  /// When it began, by the agent's clock.
  public var started: Date
  /// How long it took, by the agent's clock.
  public var elapsed: Duration
  /// How long it waited for its turn, where ``Request/isSerial`` says so; part of ``elapsed``.
  public var turnWait: Duration = .zero
  /// Every attempt, in order; empty when it ended before the first.
  public var attempts: [AttemptReport]
  /// How it ended.
  public var outcome: Outcome<Void>
  /// The stage reached last: ``Stage/retry`` when it ended in the wait before another attempt.
  public var lastStage: Stage
  /// To the dispatch, whose redaction it is printed by.
  var link = RedactionSource()
  /// Hides the secrets of the dispatch in what is printed of the report.
  package var printingRedaction: Redaction { link.redaction(reporting: request) }

  /// The last attempt's request: as it was sent, or as it was when the attempt ended before that; `nil` when building it failed.
  public var request: HTTPRequest? { attempts.last?.request }
  /// The head of the last attempt's response, if there was one.
  public var response: HTTPResponse? { attempts.last?.response }
  /// What the agent's cache did for the last attempt; `nil` where it had nothing to do with it.
  public var cache: ExchangeReport.CacheVerdict? { attempts.last?.cache }
}

/// The account of one attempt: ``ExchangeReport/attempts``.
public struct AttemptReport: Sendable {
  /// From 1.
  public var number: Int
  /// The request as it was sent, after redirects the last one, or as it was when the attempt ended before that; `nil` when
  /// building it failed.
  public var request: HTTPRequest?
  /// The response, if there was one: with its body in ``Accessory/attemptDidStop(_:context:)``, without in an
  /// ``ExchangeReport``.
  public var response: HTTPResponse?
  /// The redirects that were followed, in order.
  public var redirects: [AttemptReport.Redirect]
  /// The length of the body after content decoding, in bytes.
  public var bodyLength: Int
  /// What the transport measured for the last request; `nil` when it measured nothing, or there was no response.
  public var metrics: TransportSummary.Metrics?
  /// Whether the request answered itself by its ``Request/mockPolicy``, and nothing was sent.
  public var isMocked: Bool
  /// Whether its answer, or that of a redirect it followed, came by a transfer that another dispatch had begun; see
  /// ``CoalescingPolicy``.
  ///
  /// ``metrics`` are those of that transfer.
  public var isCoalesced = false
  /// What the agent's cache did for the last request; `nil` where it had nothing to do with it.
  public var cache: ExchangeReport.CacheVerdict? {
    get { kept?.verdict }
    set { kept = newValue.map(KeptVerdict.init) }
  }
  /// Behind a reference, as few attempts have one and all are copied.
  var kept: KeptVerdict?
  /// What was kept from origins that may not have it: names of header fields, and the type of the authenticator; empty
  /// where nothing was.
  ///
  /// See ``AgentConfiguration/trustedOrigins``, and ``RedirectPolicy`` for what a redirect elsewhere leaves behind.
  public var withheld: [String] = []
  /// When it began, from the start of the dispatch, by the agent's clock.
  public var begun: Duration
  /// How long it took, by the agent's clock.
  public var elapsed: Duration
  /// How long it waited for a slot of its origin; part of ``elapsed``.
  public var slotWait: Duration = .zero
  /// How long it waited for the ``RateLimit`` of its origin; part of ``elapsed``.
  public var throttleWait: Duration = .zero
  /// How long it waited for its ``Authenticator``, by the agent's clock: to sign, and after a refusal to renew.
  public var authenticationWait: Duration = .zero
  /// How it ended.
  public var outcome: Outcome<Void>
  /// The stage it reached: of a failure the one that failed.
  public var stage: Stage
  /// The next attempt that was decided on; `nil` when this was the last.
  public var retry: Retry?
  /// Why no attempt was to follow the failure, as a clause without a full stop; `nil` when one was, and when nothing failed.
  public var noRetryReason: String?
  /// How many requests the dispatch had sent before this attempt.
  var sentBefore = 0
  /// To the dispatch, whose redaction it is printed by.
  var link = RedactionSource()

  /// How many requests the dispatch had sent before the last one of this attempt: for retries, redirects and renewed
  /// credentials, and those that the transport sent again.
  ///
  /// It is `http.request.resend_count` of OpenTelemetry. An answer of a cache or a mock is no request.
  public var resendCount: Int { max(0, Self.sum(max(0, sentBefore), sentCount) - 1) }

  /// Counts what was sent before it.
  mutating func follow(_ earlier: AttemptReport?) {
    if let earlier { sentBefore = Self.sum(max(0, earlier.sentBefore), earlier.sentCount) }
  }

  /// How many requests the attempt has sent: redirects, and what the transport sent again, included.
  ///
  /// An answer of a cache or a mock is no request.
  public var sentCount: Int {
    let wasSent = response != nil || [.transport, .validate, .filterResponse, .decode].contains(stage)
    let isKept = isMocked || cache.map { [.cache, .stale, .nowhere].contains($0.source) } == true
    return Self.sum(redirects.count + (wasSent && !isKept ? 1 : 0), max(0, metrics?.resends ?? 0))
  }

  /// The largest number where there is no sum, as a transport of one's own and a report that was read may say any.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }

  /// Why it failed; `nil` for a success, and when it was cancelled.
  public var failure: RequestError? { outcome.error }

  /// Why and when the next attempt follows.
  public struct Retry: Sendable, Hashable {
    /// Who decided.
    public enum Source: String, Codable, Sendable, Hashable {
      /// The ``RetryPolicy``; its wait may be ``RetryPolicy/retryAfterCap``, where the server asked for more.
      case policy
      /// The ``RetryPolicy``, with the wait of the server's `Retry-After`.
      case retryAfter
      /// The ``RetryPolicy``, with the wait of the server's `RateLimit`, or of a header like it.
      case rateLimit
      /// The request's ``Request/retryDecision(for:suggested:context:)``.
      case request
      /// A hook of the agent.
      case hooks
      /// The ``Authenticator``, which has other credentials since.
      case authenticator
    }

    /// How long it is waited before it.
    public var wait: Duration
    /// Who decided.
    public var source: Source
  }
}

/// What a cache did for an attempt.
final class KeptVerdict: Sendable {
  let verdict: ExchangeReport.CacheVerdict

  init(_ verdict: ExchangeReport.CacheVerdict) { self.verdict = verdict }
}

extension ExchangeReport: PrintedByDescription {
  /// The account as a table, secrets hidden.
  ///
  /// ```
  /// Request 7: GET https://api.example.com/users/7
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
  ///
  /// `begun` counts from the start of the dispatch, and the times in the lines below from the start of the transfer.
  public var description: String { ReportTable(self).text }
}

extension AttemptReport: PrintedByDescription {
  /// Its row in the table of ``ExchangeReport``, as text, and the lines below it; secrets hidden.
  public var description: String {
    let row = AttemptRow(self)
    return ([row.summary] + row.notes).joined(separator: "\n   ").printed
  }
}

extension ExchangeReport: Codable {
  /// Writes the account for machines, secrets hidden, without bodies and causes.
  ///
  /// Times are seconds, ``started`` those since 1970; heads are lists of names and values. The same keys come back by
  /// ``init(from:)``.
  public func encode(to encoder: any Encoder) throws {
    try ExchangeRecord(self).encode(to: encoder)
  }

  /// Reads what ``encode(to:)`` wrote: what was hidden stays hidden, and an error has no cause.
  public init(from decoder: any Decoder) throws {
    self = try ExchangeRecord(from: decoder).report
  }
}

extension RequestError {
  /// The account of the dispatch, in an error that it ended with; `nil` in hooks, and in the account itself.
  public var report: ExchangeReport? { (account as? Account)?.report }

  /// The error as the caller gets it, with the account of the dispatch.
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
  /// The same, with the account in its error.
  func reported(in report: ExchangeReport) -> Outcome {
    guard case .failure(let error) = self else { return self }
    return .failure(error.reported(in: report))
  }
}

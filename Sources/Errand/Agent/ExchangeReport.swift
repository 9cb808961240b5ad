public import Foundation

/// The account of one dispatch.
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
  /// The stage reached by the last attempt.
  var lastStage: Stage

  /// The last attempt's request as it was sent, if one was.
  public var request: HTTPRequest? { attempts.last?.request }
  /// The head of the last attempt's response, if there was one.
  public var response: HTTPResponse? { attempts.last?.response }
}

/// The account of one attempt.
public struct AttemptReport: Sendable {
  /// From 1.
  public var number: Int
  /// The request as it was sent, after redirects the last one; `nil` when building it failed.
  public var request: HTTPRequest?
  /// The response, if there was one: with its body in ``Accessory/attemptDidStop(_:context:)``, without in an
  /// ``ExchangeReport``.
  public var response: HTTPResponse?
  /// The redirects that were followed, in order.
  public var redirects: [RedirectReport]
  /// The length of the body after content decoding, in bytes.
  public var bodyLength: Int
  /// What the transport measured for the last request; `nil` when it measured nothing, or there was no response.
  public var metrics: TransportMetrics?
  /// Whether the request answered itself by its ``Request/mockPolicy``, and nothing was sent.
  public var isMocked: Bool
  /// How long it waited for a slot of its origin; part of ``elapsed``.
  public var slotWait: Duration = .zero
  /// How long it took, by the agent's clock.
  public var elapsed: Duration
  /// Why it failed; `nil` for a success, and when it was cancelled.
  public var failure: RequestError?
  /// The next attempt that was decided on; `nil` when this was the last.
  public var retry: Retry?
  /// How long it waited for its ``Authenticator``, by the agent's clock: to sign, and after a refusal to renew.
  public var authenticationWait: Duration = .zero
  /// Whether its answer, or that of a redirect it followed, came by a transfer that another dispatch had begun; see
  /// ``CoalescingPolicy``.
  ///
  /// ``metrics`` are those of that transfer.
  public var isCoalesced = false

  /// Why and when the next attempt follows.
  public struct Retry: Sendable, Hashable {
    /// Who decided.
    public enum Source: String, Sendable, Hashable {
      /// The ``RetryPolicy``.
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

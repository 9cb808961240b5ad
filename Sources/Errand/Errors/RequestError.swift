/// The one error a dispatch throws, besides `CancellationError`.
///
/// It knows where the dispatch failed, the request as it was sent, the response if there was one, and the cause.
/// Its text says what happened, to what, and what to try; secrets are hidden in it by the agent's ``Redaction``.
public struct RequestError: Error, Sendable {
  /// How many bytes of a refused response's body are kept: 64 KiB.
  public static let bodyLimit = 65_536

  /// What went wrong.
  public var kind: Kind
  /// The stage that failed.
  public var stage: Stage
  /// What happened, as a clause without a full stop.
  public var reason: String
  /// The request as it was sent, after every hook; `nil` when the failure came before it was built.
  public var request: HTTPRequest?
  /// The response, its body cut after ``bodyLimit``; `nil` when there was none.
  public var response: HTTPResponse?
  /// The number of attempts made, this one included.
  public var attempts: Int
  /// The time from the start of the dispatch until this failure, on the agent's clock.
  public var elapsed: Duration
  /// What was thrown: by a hook, a serializer, a validator or the transport.
  public var cause: (any Error)?
  /// Whether it would have been tried again, and the ``RetryBudget`` of its origin was spent.
  public internal(set) var isOverRetryBudget = false

  /// The member of a group whose error this is, and the others that failed; `nil` outside of groups.
  public internal(set) var group: GroupFailure?

  /// The bytes of the body that a stream had handed out; `nil` for a response that is kept whole.
  var streamedLength: Int?

  /// Whether credentials were kept from the origin of the request as nobody trusts it; see ``AttemptReport/withheld``.
  var lacksTrust = false

  /// Hides the secrets in the text.
  var redaction: Redaction

  /// The account of the dispatch, in an error that it ended with; `nil` in hooks, and in the account itself.
  public var report: ExchangeReport? { account?.report }

  private var account: Account?

  /// To the dispatch that failed, whose values are hidden too.
  var link = DispatchLink()

  /// An account behind a reference, as it has errors in it.
  private final class Account: Sendable {
    let report: ExchangeReport

    init(_ report: ExchangeReport) { self.report = report }
  }

  /// Makes an error, as a hook that replaces an outcome may want to.
  public init(
    _ kind: Kind, _ reason: String, stage: Stage = .filter, request: HTTPRequest? = nil,
    response: HTTPResponse? = nil, attempts: Int = 0, elapsed: Duration = .zero,
    cause: (any Error)? = nil, redaction: Redaction = .standard
  ) {
    self.kind = kind
    self.stage = stage
    self.reason = reason
    self.request = request
    self.response = response
    self.attempts = attempts
    self.elapsed = elapsed
    self.cause = cause
    self.redaction = redaction
  }

  /// Makes it an error of the dispatch, printed by the agent's redaction.
  mutating func belong(to dispatched: RequestContext.Dispatched) {
    redaction = dispatched.tools.redaction
    link.dispatched = dispatched
  }

  /// The error as whoever waited for the dispatch gets it.
  func reported(in report: ExchangeReport) -> RequestError {
    var error = self
    error.account = Account(report)
    return error
  }

  /// The cause as the type you threw, looking through nested request errors.
  public func cause<E: Error>(as type: E.Type = E.self) -> E? {
    (cause as? E) ?? (cause as? RequestError)?.cause(as: type)
  }
}

extension Outcome {
  /// The same, with the account in its error.
  func reported(in report: ExchangeReport) -> Outcome {
    guard case .failure(let error) = self else { return self }
    return .failure(error.reported(in: report))
  }
}

import Foundation

/// The changing state of a dispatch, passed from stage to stage.
///
/// The state of a single attempt is an ``Attempt``. A single task at a time changes the state and the attempt.
struct DispatchState {
  /// The reports of finished attempts, without response bodies and without ``unreported``.
  var attempts: [AttemptReport] = []
  /// A successful last attempt, whose report is made on demand, because most callers read only the value.
  var unreported: Attempt?
  /// The response of the last finished attempt in ``attempts``.
  var response: HTTPResponse?
  /// The random part of retry waits; `nil`: not drawn yet.
  ///
  /// Drawn once for all waits, so that no wait shrinks by chance.
  var jitter: Double?
  var attempt = 0
  var wantsFreshConnection = false
  /// The number of credential renewals after a response or a failure.
  var rounds = 0
  var stage: Stage = .build
  /// The value of ``RequestContext/hasLeftOrigin`` at the end of the last finished attempt.
  var hasLeftOrigin = false
  /// True if the attempts run in the ``AmbientDeadline`` of the dispatch.
  var isInDeadline = false
  var turnWait: Duration = .zero
  var turn: OriginSlots.Lease?
  var elapsed: Duration?

  var lastResponse: HTTPResponse? { unreported?.answer.response ?? response }

  var lastRequest: HTTPRequest? { unreported?.sent.request ?? attempts.last?.request }

  /// The URL of the last attempt before redirects.
  var firstURL: URL? {
    let redirects = unreported?.hops.redirects ?? attempts.last?.redirects ?? []
    return redirects.first?.from ?? lastRequest?.url
  }
}

import Foundation

/// The changing state of a dispatch, passed `inout` from stage to stage.
struct DispatchState {
  /// The reports of finished attempts, without response bodies.
  var attempts: [AttemptReport] = []
  /// The last attempt's response, with its body.
  var response: HTTPResponse?
  /// Random fraction (0 to 1) of the backoff, drawn once per dispatch; `nil`: not drawn yet.
  var jitter: Double?
  /// The number of the current or last attempt.
  var attempt = 0
  /// True if the next attempt needs a new connection, because the last attempt timed out or lost its
  /// connection.
  var wantsFreshConnection = false
  /// The number of retries after a renewal of credentials.
  var rounds = 0
  /// The last stage that the dispatch reached, for its report.
  var stage: Stage = .build
  /// The duration of the wait at the serial gate.
  var turnWait: Duration = .zero
  /// The agent's only slot for serial requests; `nil`: the dispatch does not hold the slot.
  var turn: OriginSlots.Lease?
  /// The duration of the dispatch; `nil`: the dispatch is running.
  var elapsed: Duration?
}

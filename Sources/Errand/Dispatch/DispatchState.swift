import Foundation

/// The changing record of a dispatch; owned by the function that runs the dispatch, never shared.
struct DispatchState {
  /// The reports of finished attempts, without response bodies.
  var attempts: [AttemptReport] = []
  /// The last attempt's response, with its body.
  var response: HTTPResponse?
  /// The random number (0..<1) for the retry waits; `nil`: not drawn yet.
  ///
  /// Drawn once for a dispatch, so that randomness alone makes no wait shorter than an earlier wait.
  var jitter: Double?
  /// The number of the current or last attempt.
  var attempt = 0
  /// True if the next attempt needs a new connection, after a timeout or a lost connection.
  var wantsFreshConnection = false
  /// The number of attempts that the authenticator has requested.
  var rounds = 0
  /// The last stage, for the report of a cancelled dispatch.
  var stage: Stage = .build
  /// The duration of the wait at the serial gate.
  var turnWait: Duration = .zero
  /// The agent's only slot for serial requests; `nil`: the dispatch does not hold the slot.
  var turn: OriginSlots.Lease?
  /// The duration of the dispatch; `nil`: the dispatch is running.
  var elapsed: Duration?
}

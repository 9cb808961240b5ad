import Foundation

/// The changing state of a dispatch; owned by the function that runs the dispatch, never shared.
struct DispatchState {
  /// The reports of finished attempts, without response bodies.
  var attempts: [AttemptReport] = []
  /// The last attempt's response, with its body.
  var response: HTTPResponse?
  /// The random number (0..<1) for all retry waits; `nil`: not drawn yet.
  ///
  /// Drawn once for a dispatch, so that chance makes no wait shorter than the previous wait.
  var jitter: Double?
  var attempt = 0
  /// True after a timeout or a lost connection, so that the next attempt opens a new connection.
  var wantsFreshConnection = false
  /// The number of attempts that the authenticator has requested.
  var rounds = 0
  /// The last stage so far, for the report.
  var stage: Stage = .build
  var turnWait: Duration = .zero
  /// The agent's only slot for serial requests, if the dispatch holds the slot.
  var turn: OriginSlots.Lease?
  var elapsed: Duration?
}

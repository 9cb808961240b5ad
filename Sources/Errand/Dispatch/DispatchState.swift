import Foundation

/// What a dispatch writes down while it runs; owned by the function that runs it, never shared.
struct DispatchState {
  /// The attempts that have ended, without their bodies.
  var attempts: [AttemptReport] = []
  /// The last attempt's response, with its body.
  var response: HTTPResponse?
  /// The random part of the waits, drawn once, so that a ladder keeps its steps.
  var jitter: Double?
  /// The number of the attempt that runs, or of the last that ran.
  var attempt = 0
  /// Whether the last attempt failed as its connection was lost, or said nothing more: another such one may be as dead.
  var wantsFreshConnection = false
  /// How many attempts the authenticator has asked for.
  var rounds = 0
  /// The stage reached, for a cancelled dispatch.
  var stage: Stage = .build
  /// How long it waited for its turn.
  var turnWait: Duration = .zero
  /// The turn of a serial request; `nil` while it has none.
  var turn: OriginSlots.Lease?
  /// How long the dispatch took; `nil` while it runs.
  var elapsed: Duration?
}

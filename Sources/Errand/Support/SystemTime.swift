import Foundation

/// The system's wall time, for what has no agent.
enum SystemTime {
  /// Now.
  static var date: Date { Date() }
}

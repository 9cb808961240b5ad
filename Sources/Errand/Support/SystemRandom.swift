import Foundation

/// The system's random numbers, where nobody injected others.
enum SystemRandom {
  /// A number in 0..<1.
  @Sendable static func fraction() -> Double { Double.random(in: 0..<1) }

  /// A random UUID (RFC 9562 section 5.4) in small letters.
  @Sendable static func key() -> String { UUID().uuidString.lowercased() }
}

import Errand
import ErrandMocks
import Foundation

/// The required behaviour of every transport, as checks with a rig as argument.
///
/// The checks use only public API and no test framework. A failed check throws a ``ConformanceFailure`` with
/// the expected and the actual value. Run each check with a new rig: ``SocketRig`` pairs a network transport
/// with a real server. An in-memory transport needs its own rig.
enum TransportConformance {
  /// All checks, in the order of a transfer.
  static let checks = requestChecks + responseChecks + bodyChecks + endingChecks
}

/// A required behaviour of a transport.
struct ConformanceCheck: Sendable, CustomStringConvertible {
  /// A sentence about the behaviour.
  let description: String
  /// True if the check needs a network.
  ///
  /// In-memory transports have no connections to close.
  let needsNetwork: Bool
  /// Throws a ``ConformanceFailure``, or an unexpected error of the transport.
  let run: @Sendable (any ConformanceRig) async throws -> Void

  init(
    _ description: String, needsNetwork: Bool = false,
    run: @escaping @Sendable (any ConformanceRig) async throws -> Void
  ) {
    self.description = description
    self.needsNetwork = needsNetwork
    self.run = run
  }
}

/// A failed expectation of a check.
struct ConformanceFailure: Error, CustomStringConvertible {
  let description: String
}

/// Throws if the value differs from the expected value.
func conform<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws {
  if found != expected {
    throw ConformanceFailure(description: "\(subject): expected \(expected), found \(found)")
  }
}

/// Throws unless the body throws a `TransportError` of this kind.
func conformFailing<Value>(
  _ kind: RequestError.Kind, _ subject: String, _ body: () async throws -> Value
) async throws {
  do {
    _ = try await body()
  } catch let error as TransportError {
    return try conform(error.kind, kind, subject)
  }
  throw ConformanceFailure(description: "\(subject): expected an error of kind \(kind), found none")
}

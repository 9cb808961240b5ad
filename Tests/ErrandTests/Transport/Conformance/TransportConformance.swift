import Errand
import ErrandMocks
import Foundation

/// What every transport must do, as checks that take one.
///
/// The checks know public API only and no test framework: a check throws a ``ConformanceFailure`` that says what was
/// expected and what came. Run each with a rig of its own: ``SocketRig`` gives a real server to a transport that uses
/// the network; a transport that answers from memory brings a rig of its own kind.
enum TransportConformance {
  /// Every check, in the order of a transfer.
  static let checks = requestChecks + responseChecks + bodyChecks + endingChecks
}

/// One thing a transport must do.
struct ConformanceCheck: Sendable, CustomStringConvertible {
  /// A sentence.
  let description: String
  /// Whether it takes a network; what answers from memory has no connections to close.
  let needsNetwork: Bool
  /// Throws a ``ConformanceFailure``, or what the transport threw where nothing should be thrown.
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

/// What a transport did not do.
struct ConformanceFailure: Error, CustomStringConvertible {
  let description: String
}

/// Holds what came against what was expected.
func conform<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws {
  if found != expected {
    throw ConformanceFailure(description: "\(subject): expected \(expected), found \(found)")
  }
}

/// The kind of the error that must be thrown.
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

import Errand
import ErrandMocks
import Foundation

/// The required behaviour of every transport.
///
/// Each check needs a new rig.
enum TransportConformance {
  /// In the order of a transfer.
  static let checks = requestChecks + responseChecks + bodyChecks + endingChecks
}

struct ConformanceCheck: Sendable, CustomStringConvertible {
  let description: String
  /// In-memory transports have no connections to close.
  let needsNetwork: Bool
  /// Throws a ``ConformanceFailure``, or an error of the transport.
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

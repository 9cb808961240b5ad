/// The phase at the end of an attempt, estimated without the measurements of a transport.
package enum AttemptPhase: String, Codable {
  /// Before sending.
  case before
  /// During the DNS lookup.
  case nameLookup
  /// During the connection setup.
  case connect
  /// During the TLS handshake.
  case secureConnect
  /// Later: waiting for the server, a mock or the cache.
  case wait
}

extension AttemptReport {
  /// The phase at the end of the attempt, derived from stage and error.
  package var phaseOfEnd: AttemptPhase {
    if response != nil { return .wait }
    guard stage == .transport else { return .before }
    switch failure?.kind {
    case .circuitOpen, .notCached, .unsupported: return .before
    case .nameNotResolved: return .nameLookup
    case .connectionFailed, .destination: return .connect
    case .secureConnectionFailed: return .secureConnect
    case .timedOut where failure?.passedLimit == .connect: return .connect
    default: return .wait
    }
  }
}

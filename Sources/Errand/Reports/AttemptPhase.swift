/// The phase in which an attempt ended, estimated from stage and error.
package enum AttemptPhase: String, Codable {
  /// Before a connection was used.
  case before
  /// During the DNS lookup.
  case nameLookup
  /// During the connection setup.
  case connect
  /// During the TLS handshake.
  case secureConnect
  /// After the connection setup: waiting for the server, a mock or the cache.
  case wait
}

extension AttemptReport {
  /// The phase in which the attempt ended, derived from stage and error.
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

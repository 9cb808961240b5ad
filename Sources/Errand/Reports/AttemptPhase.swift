/// The phase of its way that an attempt ended in, where no transport has measured it.
package enum AttemptPhase: String, Codable {
  /// Nothing of it had been sent.
  case before
  /// The name was looked up.
  case nameLookup
  /// It was connected.
  case connect
  /// TLS was agreed on.
  case secureConnect
  /// Something else: the server was asked, perhaps, or a mock or a cache.
  case wait
}

extension AttemptReport {
  /// Where it ended, by its stage and its error: a server that was never asked has kept nobody waiting.
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

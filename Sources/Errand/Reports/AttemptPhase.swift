package enum AttemptPhase: String, Codable {
  /// The last request did not use a connection.
  case before
  case nameLookup
  case connect
  case secureConnect
  /// The connection was set up, or the phase is unknown.
  case wait
}

extension AttemptReport {
  package var phaseOfEnd: AttemptPhase {
    if response != nil { return .wait }
    guard stage == .transport else { return .before }
    switch failure?.kind {
    case .circuitOpen, .queueFull, .drained, .notCached, .unsupported: return .before
    case .nameNotResolved: return .nameLookup
    case .connectionFailed, .destination: return .connect
    case .secureConnectionFailed: return .secureConnect
    case .timedOut where failure?.passedLimit == .connect: return .connect
    default: return .wait
    }
  }
}

package enum AttemptPhase: String, Codable {
  /// Before the last request used a connection.
  case before
  case nameLookup
  case connect
  case secureConnect
  /// After the connection was set up, or unknown.
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

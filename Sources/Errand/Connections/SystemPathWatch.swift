#if !canImport(Network)
/// Watches nothing: the system does not tell.
enum SystemPathWatch {
  static func begin(_ changed: @escaping @Sendable (NetworkPathState) -> Void) -> any Sendable { () }
}
#else
import Dispatch
import Network

/// Watches the path of the system.
enum SystemPathWatch {
  /// Begins, and gives what has to be kept for as long.
  static func begin(_ changed: @escaping @Sendable (NetworkPathState) -> Void) -> any Sendable {
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { changed(NetworkPathState($0)) }
    monitor.start(queue: DispatchQueue(label: "Errand.NetworkPath"))
    return monitor
  }
}

extension NetworkPathState {
  fileprivate init(_ path: NWPath) {
    let status: Status =
      switch path.status {
      case .satisfied: .satisfied
      case .unsatisfied: .unsatisfied
      case .requiresConnection: .unknown
      @unknown default: .unknown
      }
    self.init(status, isExpensive: path.isExpensive, isConstrained: path.isConstrained)
  }
}
#endif

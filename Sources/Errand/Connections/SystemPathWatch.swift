#if !canImport(Network)
enum SystemPathWatch {
  static func begin(_ changed: @escaping @Sendable (NetworkPath.State) -> Void) -> any Sendable { () }
}
#else
import Dispatch
import Network

enum SystemPathWatch {
  /// Watches the system's path until the returned value is released.
  static func begin(_ changed: @escaping @Sendable (NetworkPath.State) -> Void) -> any Sendable {
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { changed(NetworkPath.State($0)) }
    monitor.start(queue: DispatchQueue(label: "Errand.NetworkPath"))
    return monitor
  }
}

extension NetworkPath.State {
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

/// The system's network path: `NWPathMonitor` on Apple platforms; elsewhere always
/// ``NetworkPathState/Status/unknown``.
///
/// The watch starts with the first use of ``shared``. The state is unknown until the system's first report.
public final class SystemNetworkPath: NetworkPath {
  /// The path of the process.
  public static let shared = SystemNetworkPath()

  private let told = ToldNetworkPath(NetworkPathState(.unknown))
  private let watch: any Sendable

  private init() {
    watch = SystemPathWatch.begin { [told] state in told.tell(state) }
  }

  /// The state last reported by the system.
  public var state: NetworkPathState { told.state }

  /// Returns a stream with the current state, and then each change.
  public func changes() -> AsyncStream<NetworkPathState> { told.changes() }
}

extension NetworkPath where Self == SystemNetworkPath {
  /// The path of the system.
  public static var system: SystemNetworkPath { .shared }
}

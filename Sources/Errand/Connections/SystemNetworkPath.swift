/// The path of the system: that of `NWPathMonitor` on Apple platforms; elsewhere ``NetworkPathState/Status/unknown``, and nothing changes.
///
/// It is watched from the first use of ``shared`` on, and unknown until the system has told it for the first time.
public final class SystemNetworkPath: NetworkPath {
  /// The one of the process.
  public static let shared = SystemNetworkPath()

  private let source = SettableNetworkPath(NetworkPathState(.unknown))
  private let watch: any Sendable

  private init() {
    watch = SystemPathWatch.begin { [source] state in source.tell(state) }
  }

  /// As the system told it last.
  public var state: NetworkPathState { source.state }

  /// First as it is, then each change the system tells.
  public func changes() -> AsyncStream<NetworkPathState> { source.changes() }
}

extension NetworkPath where Self == SystemNetworkPath {
  /// The system's.
  public static var system: SystemNetworkPath { .shared }
}

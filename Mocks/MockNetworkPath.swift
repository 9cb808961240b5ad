public import Errand

/// A path to the network that a test takes away and gives back.
///
///     let path = MockNetworkPath(.init(.unsatisfied))
///     let policy = RetryPolicy.upTo(3).cuttingWaits(by: path)
///     path.state = .init(.satisfied)
public final class MockNetworkPath: NetworkPath {
  private let source: SettableNetworkPath

  /// Makes a path; satisfied by default.
  public init(_ state: NetworkPathState = NetworkPathState(.satisfied)) {
    source = SettableNetworkPath(state)
  }

  /// As it is; set it, on any thread, to tell all who listen.
  public var state: NetworkPathState {
    get { source.state }
    set { source.tell(newValue) }
  }

  /// First as it is, then each change.
  public func changes() -> AsyncStream<NetworkPathState> { source.changes() }
}

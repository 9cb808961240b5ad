public import Errand

/// A network path whose state is set by a test.
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

  /// The current state.
  ///
  /// May be set on any thread; every listener receives the new state.
  public var state: NetworkPathState {
    get { source.state }
    set { source.tell(newValue) }
  }

  /// Returns a stream of the current state, followed by each change.
  public func changes() -> AsyncStream<NetworkPathState> { source.changes() }
}

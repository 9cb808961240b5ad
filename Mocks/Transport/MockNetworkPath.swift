public import Errand

/// A network path with a state set by a test.
///
///     let network = MockNetworkPath(.init(.unsatisfied))
///     let policy = RetryPolicy.upTo(3).cuttingWaits(by: network.path)
///     network.state = .init(.satisfied)
public final class MockNetworkPath: Sendable {
  private let source: NetworkPathSource

  /// Creates a path; satisfied by default.
  public init(_ state: NetworkPath.State = NetworkPath.State(.satisfied)) {
    source = NetworkPathSource(state)
  }

  /// The path for a retry policy.
  public var path: NetworkPath { source.path }

  /// The current state; may be set on any thread.
  public var state: NetworkPath.State {
    get { source.state }
    set { source.set(newValue) }
  }
}

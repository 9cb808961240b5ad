public import Observation

/// What a view of SwiftUI watches of a request: its state, and its last value.
///
/// ```swift
/// struct UserView: View {
///   @State private var user = RequestModel<User>()
///
///   var body: some View {
///     List { Text(user.value?.name ?? "") }
///       .task { await user.load(GetUser(id: 7), by: agent) }
///       .refreshable { await user.load(GetUser(id: 7), by: agent) }
///   }
/// }
/// ```
///
/// It has one dispatch at a time: the next call takes the place of the one that runs, which is cancelled and changes nothing any more. Released
/// with its view it cancels too. Before iOS 17 and macOS 14, write the ``RequestHandle/states`` of a dispatch into an `ObservableObject`.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor
@Observable
public final class RequestModel<Value: Sendable> {
  /// How far the request is.
  public private(set) var state: RequestState<Value> = .idle
  /// The last value, also while another is under way, and after a failure.
  public private(set) var value: Value?

  /// The error of the last request; `nil` where it did not fail.
  public var error: RequestError? { state.error }
  /// Whether a request is under way.
  public var isRunning: Bool { state.isRunning }

  @ObservationIgnored private var handle: RequestHandle<Value>?
  /// Counts the requests, so that what an earlier one tells is known.
  @ObservationIgnored private var turn = 0

  /// Makes a model that is idle.
  ///
  /// - Parameter value: what is shown until there is another, such as one that was kept; `nil` by default.
  public init(value: Value? = nil) { self.value = value }

  /// Sends a request and returns at once.
  public func send<R: Request>(_ request: R, by agent: RequestAgent) where R.Response == Value {
    let (states, turn) = begin(request, by: agent)
    Task { [weak self] in
      for await state in states { self?.take(state, turn: turn) }
    }
  }

  /// Sends a request and returns when it has ended, or when another call has taken its place.
  ///
  /// Where the calling task is cancelled, the request is.
  public func load<R: Request>(_ request: R, by agent: RequestAgent) async where R.Response == Value {
    let (states, turn) = begin(request, by: agent)
    for await state in states { take(state, turn: turn) }
    if Task.isCancelled, turn == self.turn { cancel() }
  }

  /// Cancels the request that runs: the state is ``RequestState/idle`` at once, the value stays.
  public func cancel() {
    guard let handle else { return }
    self.handle = nil
    handle.cancel()
    state = .idle
  }

  private func begin<R: Request>(
    _ request: R, by agent: RequestAgent
  ) -> (Updates<RequestState<Value>>, turn: Int) where R.Response == Value {
    self.handle?.cancel()
    let handle = agent.start(request).cancelOnRelease()
    self.handle = handle
    self.turn += 1
    let turn = self.turn
    // Who watches may send another request from here.
    state = .running(handle.progress.current)
    return (handle.states, turn)
  }

  private func take(_ state: RequestState<Value>, turn: Int) {
    guard turn == self.turn, handle != nil else { return }
    if !state.isRunning { handle = nil }
    if let value = state.value { self.value = value }
    self.state = state
  }
}

public import Errand
public import Observation

/// The state and the last value of a request, for a SwiftUI view.
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
/// A model has a single dispatch at a time. A further call cancels the running dispatch, and the model
/// ignores the outcome of the cancelled dispatch. The release of the model also cancels the dispatch. Before
/// iOS 17 and macOS 14, copy the `RequestHandle.states` of a dispatch into an `ObservableObject`.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor
@Observable
public final class RequestModel<Value: Sendable> {
  /// The state of the current request.
  public private(set) var state: RequestState<Value> = .idle
  /// The last value.
  ///
  /// The value stays during the next request and after a failure.
  public private(set) var value: Value?

  /// The error of the last request; `nil` unless the request failed.
  public var error: RequestError? { state.error }
  /// True if a request is running.
  public var isRunning: Bool { state.isRunning }

  @ObservationIgnored private var handle: RequestHandle<Value>?
  /// The number of started requests, to recognise updates of an earlier request.
  @ObservationIgnored private var turn = 0

  /// Creates an idle model.
  ///
  /// - Parameter value: the initial value, such as a stored value; `nil` by default.
  public init(value: Value? = nil) { self.value = value }

  /// Sends a request and returns at once.
  public func send<R: Request>(_ request: R, by agent: RequestAgent) where R.Response == Value {
    let (states, turn) = begin(request, by: agent)
    Task { [weak self] in
      for await state in states { self?.take(state, turn: turn) }
    }
  }

  /// Sends a request and returns at its end, or when a further call has replaced the request.
  ///
  /// Cancelling the calling task cancels the request.
  public func load<R: Request>(_ request: R, by agent: RequestAgent) async where R.Response == Value {
    let (states, turn) = begin(request, by: agent)
    for await state in states { take(state, turn: turn) }
    if Task.isCancelled, turn == self.turn { cancel() }
  }

  /// Cancels the running request.
  ///
  /// The state becomes ``RequestState/idle`` at once, and the value stays.
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
    // The assignment may run an observer that sends a further request.
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

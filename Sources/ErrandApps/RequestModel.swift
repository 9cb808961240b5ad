public import Errand
public import Observation

/// The state of the current request and the last value, for a SwiftUI view.
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
/// A new request cancels the running request. The release of the model also cancels the running request.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor
@Observable
public final class RequestModel<Value: Sendable> {
  /// The state of the current request.
  public private(set) var state: RequestState<Value> = .idle
  /// The initial value, or the value of the last success.
  ///
  /// The next request and a failure keep the value.
  public private(set) var value: Value?

  /// The error of the current request; `nil` unless the request has failed.
  public var error: RequestError? { state.error }
  /// True if a request is running.
  public var isRunning: Bool { state.isRunning }

  @ObservationIgnored private var handle: RequestHandle<Value>?
  @ObservationIgnored private var generation = 0

  /// Creates an idle model with an optional initial value.
  public init(value: Value? = nil) { self.value = value }

  /// Sends a request and returns at once.
  public func send<R: Request>(_ request: R, by agent: RequestAgent) where R.Response == Value {
    let (states, generation) = begin(request, by: agent)
    Task { [weak self] in
      for await state in states { self?.take(state, generation: generation) }
    }
  }

  /// Sends a request, and waits until the request has ended or a newer request has replaced the request.
  ///
  /// A cancellation of the calling task prevents or cancels the request.
  public func load<R: Request>(_ request: R, by agent: RequestAgent) async where R.Response == Value {
    guard !Task.isCancelled else { return }
    let (states, generation) = begin(request, by: agent)
    for await state in states { take(state, generation: generation) }
    if Task.isCancelled, generation == self.generation { cancel() }
  }

  /// Cancels the running request, if any; the value stays.
  public func cancel() {
    guard let handle else { return }
    self.handle = nil
    handle.cancel()
    state = .idle
  }

  private func begin<R: Request>(
    _ request: R, by agent: RequestAgent
  ) -> (Updates<RequestState<Value>>, generation: Int) where R.Response == Value {
    self.handle?.cancel()
    let handle = agent.start(request).cancelOnRelease()
    self.handle = handle
    self.generation += 1
    let generation = self.generation
    // `generation` is read before the assignment of `state`, because an observer of `state` may send a
    // further request.
    state = .running(handle.progress.current)
    return (handle.states, generation)
  }

  private func take(_ state: RequestState<Value>, generation: Int) {
    guard generation == self.generation, handle != nil else { return }
    if !state.isRunning { handle = nil }
    if let value = state.value { self.value = value }
    self.state = state
  }
}

public import Errand
public import ErrandMocks
public import Foundation

/// The mocks of a test with the trait `.mocked(…)`, or of a `withMocks` call.
///
/// The scope answers the requests of agents in the test's task, in child tasks, and in each `Task` created
/// there. A request that fails with `unmatchedStub` is recorded as an issue of the test. An agent's own
/// `MockTransport` answers first, if the transport has stubs, a closure or a `PassThrough`.
///
/// A request from a detached task or after the test usually fails with
/// ``Errand/RequestError/Kind/outsideMockScope``. To include detached work, pass the scope along:
///
///     let scope = try #require(MockScope.current)
///     Task.detached { try await scope.run { try await app.refresh() } }
public final class MockScope: TransportScope, Sendable {
  /// The scope of the running task; `nil` without a scope.
  public static var current: MockScope? { TransportOverride.current?.transport as? MockScope }

  /// The capabilities of the scope's transport.
  public let capabilities: TransportCapabilities

  let owner: MockOwner
  private let checksUse: Bool
  /// The outer scope, which gets the requests that this scope does not answer.
  ///
  /// `nil` for an outermost scope and for `mocked(by:)`.
  private let outer: MockScope?
  private let state: Locked<State>
  let running: RunningScopes

  private static let ends = Locked(0)

  private struct State {
    /// The scope's transport; `nil` after the end of the scope.
    var mock: (any Transport)?
    /// The scope's number in the order of ended scopes; `nil` while the scope runs.
    var endNumber: Int?
    /// Issues found outside of the test's task; `refusal` is the message of the error for a refused request.
    var findings: [(text: String, refusal: String?)] = []
    var types: Set<ObjectIdentifier> = []
  }

  init(
    _ mock: any Transport, of owner: MockOwner, allUsed: Bool = false, outer: MockScope? = nil,
    among running: RunningScopes = .all
  ) {
    self.running = running
    capabilities = mock.capabilities
    checksUse = allUsed
    self.owner = owner
    self.outer = outer
    state = Locked(State(mock: mock))
    running.add(self)
  }

  convenience init(
    _ stubs: [Stub], of owner: MockOwner, allUsed: Bool = false, among running: RunningScopes = .all
  ) {
    self.init(
      MockTransport(stubs, clock: TestClock(autoAdvances: true)), of: owner, allUsed: allUsed,
      outer: .current, among: running)
  }

  /// The requests recorded by the scope's `MockTransport`, in order of complete arrival.
  ///
  /// Empty after the end of the scope, and for a transport of a different type.
  public var requests: [ReceivedRequest] { (mock as? MockTransport)?.requests ?? [] }

  /// Resets the connections of the transports of the scope and of outer scopes.
  public func resetConnections() {
    mock?.resetConnections()
    outer?.resetConnections()
  }

  /// The connections of this scope's transport.
  public var connections: ConnectionSettings.Pool.Snapshot {
    get async throws {
      guard let mock else { throw TransportError.noConnections(of: self) }
      return try await mock.connections
    }
  }

  /// Returns the client identity of this scope's transport, or else of an outer scope's transport.
  public func clientIdentity(for url: URL) -> String? {
    mock?.clientIdentity(for: url) ?? outer?.clientIdentity(for: url)
  }

  var isRunning: Bool { mock != nil }

  var endNumber: Int? { state.withLock { $0.endNumber } }

  private var mock: (any Transport)? { state.withLock { $0.mock } }

  /// Runs an operation in the scope, for work outside of the test's task.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await RequestAgent.withTransport(self, operation: operation)
  }

  func runToEnd<Result>(
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    do {
      let result = try await run(operation: operation)
      end()
      return result
    } catch {
      end(with: error)
      throw error
    }
  }

  /// Returns the answer of this scope or of an outer scope.
  ///
  /// A request without a matching stub, or after the end of the scope, is an issue of the test.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    do {
      return try await answer(request)
    } catch let error as TransportError where error.kind == .unmatchedStub {
      report("\(error)")
      throw error
    }
  }

  package func notice(_ type: ObjectIdentifier, unused: () -> String?) {
    guard outermost.state.withLock({ $0.types.insert(type).inserted }), let text = unused() else { return }
    report(text)
  }

  private var outermost: MockScope { outer?.outermost ?? self }

  /// Returns how deep this scope is nested in `scope`: 0 for `scope` itself, `nil` if not nested.
  func depth(within scope: MockScope) -> Int? {
    self === scope ? 0 : outer?.depth(within: scope).map { $0 + 1 }
  }

  /// Records an issue; outside of the test's task, a running scope keeps the issue in `findings` instead.
  ///
  /// Swift Testing could not assign an issue from outside of the task to the test.
  func report(_ text: String, refusal: String? = nil) {
    let isElsewhere = !owner.isCurrent
    let isKept = state.withLock { state in
      guard isElsewhere, state.mock != nil else { return false }
      state.findings.append((text, refusal))
      return true
    }
    if !isKept { owner.record(text) }
  }

  /// Ends the scope, and records the findings and the failed checks of the transport.
  ///
  /// If `error` reports a refused request, the finding about this request is left out.
  func end(with error: (any Error)? = nil) {
    running.remove(self)
    let number = Self.ends.withLock { ends in
      ends += 1
      return ends
    }
    let (mock, findings) = state.withLock { state in
      defer { state.mock = nil }
      state.endNumber = number
      return (state.mock, state.findings)
    }
    let told = (error as? RequestError)?.cause(as: TransportError.self) ?? error as? TransportError
    let place = findings.firstIndex { told?.kind == .outsideMockScope && $0.refusal == told?.message }
    for (index, finding) in findings.enumerated() where index != place { owner.record(finding.text) }
    do { try mock?.end(checkingUse: checksUse) } catch { owner.record("\(error)") }
  }

  package func transport(inPlaceOf own: any Transport) -> any Transport {
    guard let own = own as? MockTransport, own.canAnswer else { return self }
    return OwnMocks(own: own, scope: self)
  }

  fileprivate func send(_ request: TransportRequest, first own: MockTransport) async throws
    -> TransportResponse
  {
    // Two transports may read the body.
    let request = try await request.keepingBody()
    do {
      return try await own.send(request)
    } catch let error as TransportError where error.kind == .unmatchedStub {
      do {
        return try await answer(request, after: error)
      } catch let error as TransportError where error.kind == .unmatchedStub {
        report("\(error)")
        throw error
      }
    }
  }

  private func answer(_ request: TransportRequest) async throws -> TransportResponse {
    guard let mock else { throw lateRefusal(of: request) }
    guard let outer else { return try await mock.send(request) }
    let request = try await request.keepingBody()
    do {
      return try await mock.send(request)
    } catch let error as TransportError where error.kind == .unmatchedStub {
      return try await outer.answer(request, after: error)
    }
  }

  private func answer(
    _ request: TransportRequest, after inner: TransportError
  ) async throws -> TransportResponse {
    do {
      return try await answer(request)
    } catch let error as TransportError where error.kind == .unmatchedStub {
      throw TransportError(.unmatchedStub, "\(inner.message)\nin the outer scope, \(error.message)")
    }
  }
}

private struct OwnMocks: Transport {
  let own: MockTransport
  let scope: MockScope

  var capabilities: TransportCapabilities { own.capabilities }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await scope.send(request, first: own)
  }

  func resetConnections() {
    own.resetConnections()
    scope.resetConnections()
  }

  var connections: ConnectionSettings.Pool.Snapshot { get async throws { try await own.connections } }

  func clientIdentity(for url: URL) -> String? {
    own.clientIdentity(for: url) ?? scope.clientIdentity(for: url)
  }
}

extension Transport {
  fileprivate func end(checkingUse: Bool) throws {
    try (self as? RecordingTransport)?.save()
    let mock = self as? MockTransport
    guard checkingUse else {
      try mock?.checkScenarios()
      return
    }
    try mock?.checkAllUsed()
    try (self as? RecordingTransport)?.checkAllUsed()
  }
}

extension RequestError.Kind {
  /// The test scope of the request is unknown or has ended, so the request was not sent; see ``MockScope``.
  public static let outsideMockScope = RequestError.Kind("outsideMockScope")
}

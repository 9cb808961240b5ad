public import Errand
public import ErrandMocks

/// The mocks of one run of a test, while it lasts; made by the trait `.mocked(…)` and by
/// ``withMocks(_:allUsed:isolation:sourceLocation:operation:)``.
///
/// It answers what is dispatched in the test's task, in its child tasks, and in each `Task` made there, whatever ``/Errand/RequestAgent``
/// dispatches it. A request that no stub answers fails and is an issue of the test.
///
/// An agent whose transport is a `MockTransport` of its own, as `RequestAgent.mocked(…)` makes one, is answered by that first, and by the
/// scope what that does not answer: who gives an agent stubs means them.
///
/// Work that leaves the task has no scope: `Task.detached`, callbacks of queues and threads. It is refused as
/// ``Errand/RequestError/Kind/outsideMockScope`` when its agent was made or used in a mocked test, and so is what is sent after the end of
/// its test; both are issues: of the test if no other mocked one runs, else of the run, as nobody knows whose work it is. Take the scope
/// along where such work is wanted:
///
///     let scope = try #require(MockScope.current) Task.detached { try await scope.run { try await app.refresh() } } let agent =
///     RequestAgent(baseURL: "https://api.example.com", transport: scope)
///
/// May be used from any task and thread.
public final class MockScope: TransportScope, Sendable {
  /// The scope of the running task; `nil` outside of mocked tests and under `.unmocked`.
  public static var current: MockScope? { TransportOverride.current?.transport as? MockScope }

  /// What its transport claims to be able to do.
  public let capabilities: TransportCapabilities

  let owner: MockOwner
  /// Whether a stub that answered less often than it says is an issue.
  private let checksUse: Bool
  /// Is asked what no stub here answers.
  private let outer: MockScope?
  private let state: Locked<State>
  /// The scopes that run beside it.
  let running: RunningScopes

  private static let ends = Locked(0)

  private struct State {
    /// `nil` once the scope has ended.
    var mock: (any Transport)?
    /// Its place among the ends of all scopes; `nil` before.
    var endNumber: Int?
    /// Issues found outside of the test's task, for its end, each with the message of the error that told it too.
    var findings: [(text: String, refusal: String?)] = []
    /// The types of requests that were dispatched in it, and in the scopes within.
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

  /// Makes a scope of stubs, which come before those of the scope around it.
  convenience init(
    _ stubs: [Stub], of owner: MockOwner, allUsed: Bool = false, among running: RunningScopes = .all
  ) {
    self.init(
      MockTransport(stubs, clock: TestClock(autoAdvances: true)), of: owner, allUsed: allUsed,
      outer: .current, among: running)
  }

  /// Every request that came to its stubs, in the order in which they were complete; none once it has ended, and none where another
  /// transport than a `MockTransport` answers.
  ///
  /// What was answered before is not among them: by a `withMocks` within it, and by an agent's own mocks.
  public var requests: [ReceivedRequest] { (mock as? MockTransport)?.requests ?? [] }

  var isRunning: Bool { mock != nil }

  /// Tells which of two scopes ended later; `nil` while it runs.
  var endNumber: Int? { state.withLock { $0.endNumber } }

  private var mock: (any Transport)? { state.withLock { $0.mock } }

  /// Runs an operation in the scope, for work that lost it.
  ///
  /// What it throws is thrown on.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await RequestAgent.withTransport(self, operation: operation)
  }

  /// Runs an operation in the scope, and ends the scope.
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

  /// Answers a request from the stubs.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    do {
      return try await answer(request)
    } catch let error as TransportError where error.kind == .unmatchedStub {
      report("\(error)")
      throw error
    }
  }

  /// Writes down what a request stores in vain, once for its type in a test.
  package func notice(_ type: ObjectIdentifier, unused: () -> String?) {
    guard outermost.state.withLock({ $0.types.insert(type).inserted }), let text = unused() else { return }
    report(text)
  }

  private var outermost: MockScope { outer?.outermost ?? self }

  /// How many scopes are between this one and the one around it; `nil` where it is not within that.
  func depth(within scope: MockScope) -> Int? {
    self === scope ? 0 : outer?.depth(within: scope).map { $0 + 1 }
  }

  /// Writes an issue down: at once in the test's task, else when the scope ends, as another task has no test.
  ///
  /// - Parameter refusal: the message of the error that its request failed with; where the scope ends with that error, it is told once.
  func report(_ text: String, refusal: String? = nil) {
    let isElsewhere = !owner.isCurrent
    let isKept = state.withLock { state in
      guard isElsewhere, state.mock != nil else { return false }
      state.findings.append((text, refusal))
      return true
    }
    if !isKept { owner.record(text) }
  }

  /// Lets nothing more be answered, and writes down what was found; to be called in the test's task.
  ///
  /// - Parameter error: what its operation has thrown, which tells of one refusal itself; `nil` for nothing.
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

  /// The scope, but for an agent that has mocks of its own.
  package func transport(inPlaceOf own: any Transport) -> any Transport {
    guard let own = own as? MockTransport, own.canAnswer else { return self }
    return OwnMocks(own: own, scope: self)
  }

  /// Answers from an agent's own mocks, and what they do not answer from the scope.
  fileprivate func send(_ request: TransportRequest, first own: MockTransport) async throws
    -> TransportResponse
  {
    // Two may read the body.
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

  /// The same as ``send(_:)`` without a word about what no stub answers.
  private func answer(_ request: TransportRequest) async throws -> TransportResponse {
    guard let mock else { throw lateRefusal(of: request) }
    guard let outer else { return try await mock.send(request) }
    // Two may read the body.
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
      throw TransportError(.unmatchedStub, "\(inner.message)\naround it, \(error.message)")
    }
  }
}

/// An agent's own mocks, and behind them those of the scope.
private struct OwnMocks: Transport {
  let own: MockTransport
  let scope: MockScope

  var capabilities: TransportCapabilities { own.capabilities }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await scope.send(request, first: own)
  }
}

extension Transport {
  /// The end of a test, for the transports that have one.
  fileprivate func end(checkingUse: Bool) throws {
    try (self as? RecordingTransport)?.save()
    let mock = self as? MockTransport
    // A misspelt scenario is never meant.
    guard checkingUse else {
      try mock?.checkScenarios()
      return
    }
    try mock?.checkAllUsed()
    try (self as? RecordingTransport)?.checkAllUsed()
  }
}

extension RequestError.Kind {
  /// The request belongs to no mocked test that runs, and was not sent: it came from work that is detached from every test, or from a test
  /// that has ended.
  ///
  /// The reason names the tests; see ``MockScope``.
  public static let outsideMockScope = RequestError.Kind("outsideMockScope")
}

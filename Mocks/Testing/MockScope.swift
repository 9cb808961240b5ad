public import Errand
public import ErrandMocks
public import Testing

/// The mocks of one run of a test, while it lasts; made by the trait `.mocked(…)` and by
/// ``withMocks(_:allUsed:isolation:sourceLocation:operation:)``.
///
/// It answers what is dispatched in the test's task, in its child tasks, and in each `Task` made there, whatever
/// ``/Errand/RequestAgent`` dispatches it. A request that no stub answers fails and is an issue of the test.
///
/// Work that leaves the task has no scope: `Task.detached`, callbacks of queues and threads. It is refused as
/// ``Errand/RequestError/Kind/outsideMockScope`` when its agent was made or used in a mocked test, and so is what is
/// sent after the end of its test; both are issues. Take the scope along where such work is wanted:
///
///     let scope = try #require(MockScope.current)
///     Task.detached { try await scope.run { try await app.refresh() } }
///     let agent = RequestAgent(baseURL: "https://api.example.com", transport: scope)
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

  private static let ends = Locked(0)

  private struct State {
    /// `nil` once the scope has ended.
    var mock: (any Transport)?
    /// Its place among the ends of all scopes; `nil` before.
    var endNumber: Int?
    /// Issues found outside of the test's task, for its end.
    var findings: [String] = []
    /// The types of requests that were dispatched in it, and in the scopes within.
    var types: Set<ObjectIdentifier> = []
  }

  init(_ mock: any Transport, of owner: MockOwner, allUsed: Bool = false, outer: MockScope? = nil) {
    capabilities = mock.capabilities
    checksUse = allUsed
    self.owner = owner
    self.outer = outer
    state = Locked(State(mock: mock))
  }

  /// Makes a scope of stubs, which come before those of the scope around it.
  convenience init(_ stubs: [Stub], of owner: MockOwner, allUsed: Bool = false) {
    self.init(
      MockTransport(stubs, clock: TestClock(autoAdvances: true)), of: owner, allUsed: allUsed,
      outer: .current)
  }

  /// Every request it was sent, in the order in which they were complete; none once it has ended, and none where
  /// another transport than a `MockTransport` answers.
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

  /// Writes an issue down: at once in the test's task, else when the scope ends, as another task has no test.
  func report(_ text: String) {
    let isElsewhere = !owner.isCurrent
    let isKept = state.withLock { state in
      guard isElsewhere, state.mock != nil else { return false }
      state.findings.append(text)
      return true
    }
    if !isKept { owner.record(text) }
  }

  /// Lets nothing more be answered, and writes down what was found; to be called in the test's task.
  func end() {
    let number = Self.ends.withLock { ends in
      ends += 1
      return ends
    }
    let (mock, findings) = state.withLock { state in
      defer { state.mock = nil }
      state.endNumber = number
      return (state.mock, state.findings)
    }
    for finding in findings { owner.record(finding) }
    do { try mock?.end(checkingUse: checksUse) } catch { owner.record("\(error)") }
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

extension Transport {
  /// The end of a test, for the transports that have one.
  fileprivate func end(checkingUse: Bool) throws {
    try (self as? RecordingTransport)?.save()
    guard checkingUse else { return }
    try (self as? MockTransport)?.checkAllUsed()
    try (self as? RecordingTransport)?.checkAllUsed()
  }
}

/// Answers from stubs whatever an operation dispatches, whichever agent does it; for stubs that are made in a test.
///
///     @Test(arguments: 1...3) func loads(id: Int) async throws {
///       try await withMocks(Stub(.get, "/users/\(id)", answers: try .json(User(id: id)))) {
///         let user = try await app.user(id)
///         #expect(user.id == id)
///       }
///     }
///
/// It is the same as the trait `.mocked(…)`, within a test: these stubs come before those around it.
///
/// What the operation throws is thrown on.
///
/// - Parameters:
///   - stubs: the first that matches answers; their delays take no time, as their clock advances itself.
///   - allUsed: whether a stub that answered less often than it says is an issue of the test; `false` by default.
///   - isolation: the operation's; that of the caller.
///   - sourceLocation: where issues are shown; the call.
///   - operation: what is answered so.
public func withMocks<Result>(
  _ stubs: Stub..., allUsed: Bool = false, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, operation: () async throws -> Result
) async rethrows -> Result {
  let scope = MockScope(stubs, of: MockOwner(.current, at: sourceLocation), allUsed: allUsed)
  defer { scope.end() }
  return try await scope.run(operation: operation)
}

extension RequestError.Kind {
  /// The request belongs to no mocked test that runs, and was not sent: it came from work that is detached from every
  /// test, or from a test that has ended.
  ///
  /// The reason names the tests; see ``MockScope``.
  public static let outsideMockScope = RequestError.Kind("outsideMockScope")
}

import Errand

/// What answers by stubs: a ``MockTransport`` and a ``MockServer``, which have all of this in common.
///
/// Stubs come and go while a test runs, from any thread. A request that was taken by a stub is answered by it, whatever
/// happens to the stub meanwhile.
public protocol StubbedMock: AnyObject, Sendable {
  /// Its stubs; ask the mock.
  var stubs: StubList { get }
  /// Forgets what it has received and lets its stubs begin anew.
  func reset()
}

extension StubbedMock {
  /// Answers by stubs too: the first one that matches and is not spent answers.
  ///
  /// They are asked before the stubs that were added earlier.
  public func add(_ stubs: Stub...) { add(stubs) }

  /// Answers by the stubs of a list too, which are asked in its order before those that were added earlier.
  public func add(_ stubs: [Stub]) { self.stubs.add(stubs) }

  /// Takes stubs away, which answer nothing more, and which ``checkAllUsed()`` does not miss.
  ///
  /// What was made of them, such as `stub.optional()` and `[stub].under(…)`, goes with them; see ``Stub/calls``.
  public func remove(_ stubs: Stub...) { self.stubs.remove(stubs) }

  /// Takes all stubs away, and the routes of a server.
  public func removeAllStubs() { stubs.removeAll() }

  /// The stubs that have not answered as often as they say, in their order: once, or as ``Stub/times(_:)`` says.
  ///
  /// ``Stub/optional()`` stubs and routes are not among them.
  public var unusedStubs: [Stub] { stubs.unused.map(\.stub) }

  /// Throws ``UnusedStubs``, which names files and lines, unless every stub has answered as often as it says: for the end of
  /// a test, while a server runs.
  ///
  /// It throws too where a scenario was set that no stub is a step of, where it was set to a state that no stub knows, and where a stub
  /// asks for a state that nothing leads to: such names are misspelt.
  public func checkAllUsed() throws {
    try UnusedStubs.check(stubs.unused, scenarioProblems: stubs.scenarioProblems)
  }

  /// The same of scenarios alone.
  package func checkScenarios() throws { try UnusedStubs.check([], scenarioProblems: stubs.scenarioProblems) }

  /// The requests of this mock that a stub has answered, or what was made of it; none of one that was removed.
  ///
  /// ``Stub/calls`` has those of all mocks.
  public func calls(of stub: Stub) -> [ReceivedRequest] { stubs.calls(of: [stub]).map(\.request) }

  /// Throws ``UnexpectedCalls`` unless the calls of some stubs came in this order, and no others of them: a stub stands here as
  /// often as it is to have answered.
  ///
  ///     try transport.checkOrder(login, list, list, logout)
  ///
  /// What was made of a stub counts as that stub. One that is none of this mock's is an error of its own.
  ///
  /// - Parameters:
  ///   - wanted: the stubs; calls of others do not count.
  ///   - fileID: where it is checked; the caller's file by default.
  ///   - line: where it is checked; the caller's line by default.
  public func checkOrder(_ wanted: Stub..., fileID: String = #fileID, line: Int = #line) throws {
    let calls = stubs.calls(of: wanted)
    let place = calls.indices.first {
      $0 >= wanted.count || !calls[$0].stub.record.isMade(of: wanted[$0].record)
    }
    let stranger = wanted.lazy.compactMap { stub in self.stubs.problem(of: stub).map { "\(stub) \($0)" } }
      .first
    guard
      let problem = stranger
        ?? Self.problem(at: place ?? calls.count, found: calls.map(\.stub), wanted: wanted)
    else { return }
    throw UnexpectedCalls(
      problem: problem, calls: calls.map(\.request),
      lines: calls.map { "\($0.request.line(hiding: $0.stub.secrets)) by \($0.stub)" }, fileID: fileID,
      line: line)
  }

  private static func problem(at place: Int, found: [Stub], wanted: [Stub]) -> String? {
    let number = "call \(place + 1)"
    switch (place < found.count ? found[place] : nil, place < wanted.count ? wanted[place] : nil) {
    case (nil, nil): return nil
    case (let stub?, nil): return "\(number) was one too many, answered by \(stub)"
    case (nil, let stub?): return "\(number) was missing, to be answered by \(stub)"
    case (let stub?, let other?): return "\(number) was answered by \(stub), not by \(other)"
    }
  }

  /// The state of a scenario, `started` at first; see ``Stub/scenario(_:when:to:)``.
  public func state(ofScenario name: String) -> String { stubs.scenarios.state(of: name) }

  /// Puts a scenario in a state, for a test that begins in the middle of it.
  ///
  /// Names that no stub has are named by ``checkAllUsed()``, as stubs may come later, and by the trait `.mocked(…)`.
  public func setState(_ state: String, ofScenario name: String) {
    stubs.scenarios.set(state, of: name)
  }
}

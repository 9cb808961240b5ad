import Errand

/// The interface to stubs shared by ``MockTransport`` and ``MockServer``.
///
/// Stubs may be added and removed from any thread while a test runs. A request already matched by a stub
/// keeps the answer of that stub.
public protocol StubbedMock: AnyObject, Sendable {
  /// The list of stubs. Use the methods of the mock instead of the list.
  var stubs: StubList { get }
  /// Removes all recorded requests, and resets the call counts of the stubs and the states of the scenarios.
  func reset()
}

extension StubbedMock {
  /// Adds stubs before the present stubs, in the given order.
  ///
  /// The first matching stub that still has answers answers a request.
  public func add(_ stubs: Stub...) { add(stubs) }

  /// Adds the stubs of a list before the present stubs, in the order of the list.
  public func add(_ stubs: [Stub]) { self.stubs.add(stubs) }

  /// Removes stubs.
  ///
  /// ``checkAllUsed()`` ignores removed stubs.
  ///
  /// Also removes every stub derived from the given stubs, such as `stub.optional()` and `[stub].under(…)`;
  /// see ``Stub/calls``.
  public func remove(_ stubs: Stub...) { self.stubs.remove(stubs) }

  /// Removes all stubs, including the routes of a server.
  public func removeAllStubs() { stubs.removeAll() }

  /// The stubs with fewer answers than expected, in matching order.
  ///
  /// A stub expects at least one answer, unless ``Stub/times(_:)`` sets another number. ``Stub/optional()``
  /// stubs and routes are never in the list.
  public var unusedStubs: [Stub] { stubs.unused.map(\.stub) }

  /// Throws ``UnusedStubs``, with files and lines, unless every stub has given the expected number of
  /// answers.
  ///
  /// Call the method at the end of a test. Call the method before a ``MockServer`` stops, because `stop()`
  /// removes all stubs. The method also reports misspelt names of scenarios: a test sets a scenario without
  /// any step, a test sets an unknown state, or a stub requires a state that no stub or test sets.
  public func checkAllUsed() throws {
    try UnusedStubs.check(stubs.unused, scenarioProblems: stubs.scenarioProblems)
  }

  /// Throws ``UnusedStubs`` for the problems of scenarios only, and ignores unused stubs.
  package func checkScenarios() throws { try UnusedStubs.check([], scenarioProblems: stubs.scenarioProblems) }

  /// Returns the requests of this mock that a stub, or a derived stub, has answered; empty for a removed
  /// stub.
  ///
  /// ``Stub/calls`` has the requests of all mocks.
  public func calls(of stub: Stub) -> [ReceivedRequest] { stubs.calls(of: [stub]).map(\.request) }

  /// Throws ``UnexpectedCalls`` unless the calls of the given stubs came in exactly this order.
  ///
  ///     try transport.checkOrder(login, list, list, logout)
  ///
  /// List a stub once for each expected answer. A call of a derived stub counts as a call of the original
  /// stub. If a stub does not belong to this mock, the method throws and the error names the stub.
  ///
  /// - Parameters:
  ///   - wanted: the stubs in the expected order; calls of further stubs do not count.
  ///   - fileID: the file of the check; the caller's file by default.
  ///   - line: the line of the check; the caller's line by default.
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
    case (let stub?, nil): return "\(number) was unexpected, answered by \(stub)"
    case (nil, let stub?): return "\(number) is missing, expected from \(stub)"
    case (let stub?, let other?): return "\(number) was answered by \(stub), not by \(other)"
    }
  }

  /// Returns the state of a scenario, initially `started`; see ``Stub/scenario(_:when:to:)``.
  public func state(ofScenario name: String) -> String { stubs.scenarios.state(of: name) }

  /// Sets the state of a scenario, so that a test can begin in the middle of the scenario.
  ///
  /// Unknown names are not an error here, because stubs may be added later. ``checkAllUsed()`` and the
  /// trait `.mocked(…)` report unknown names.
  public func setState(_ state: String, ofScenario name: String) {
    stubs.scenarios.set(state, of: name)
  }
}

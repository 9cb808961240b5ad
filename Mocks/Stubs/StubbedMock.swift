import Errand

/// The interface to stubs shared by ``MockTransport`` and ``MockServer``.
public protocol StubbedMock: AnyObject, Sendable {
  /// The list of stubs; use the methods of the mock instead.
  var stubs: StubList { get }
  /// Removes the recorded requests, and restarts stubs and scenarios.
  func reset()
}

extension StubbedMock {
  /// Adds stubs before the present stubs, in the given order.
  public func add(_ stubs: Stub...) { add(stubs) }

  /// Adds the stubs of a list before the present stubs.
  public func add(_ stubs: [Stub]) { self.stubs.add(stubs) }

  /// Removes stubs and the stubs derived from these stubs; see ``Stub/calls``.
  public func remove(_ stubs: Stub...) { self.stubs.remove(stubs) }

  /// Removes all stubs, including the routes of a server.
  public func removeAllStubs() { stubs.removeAll() }

  /// The stubs that gave fewer answers than expected, without routes.
  ///
  /// A stub expects at least one answer by default; see ``Stub/times(_:)`` and ``Stub/optional()``.
  public var unusedStubs: [Stub] { stubs.unused.map(\.stub) }

  /// Throws ``UnusedStubs`` if there are `unusedStubs`, or for a probably misspelt scenario or state.
  ///
  /// Call the method before a ``MockServer`` stops, because `stop()` removes all stubs.
  public func checkAllUsed() throws {
    try UnusedStubs.check(stubs.unused, scenarioProblems: stubs.scenarioProblems)
  }

  package func checkScenarios() throws { try UnusedStubs.check([], scenarioProblems: stubs.scenarioProblems) }

  /// Returns the requests that a stub or its derived stubs answered in this mock.
  ///
  /// Calls of removed stubs are left out.
  public func calls(of stub: Stub) -> [ReceivedRequest] { stubs.calls(of: [stub]).map(\.request) }

  /// Throws ``UnexpectedCalls`` if the given stubs were not called in this order.
  ///
  ///     try transport.checkOrder(login, list, list, logout)
  ///
  /// List a stub once for each expected answer. Calls of stubs that are not listed do not count.
  public func checkOrder(_ wanted: Stub..., fileID: String = #fileID, line: Int = #line) throws {
    let calls = stubs.calls(of: wanted)
    let place = calls.indices.first {
      $0 >= wanted.count || !calls[$0].stub.record.isDerived(from: wanted[$0].record)
    }
    let foreignStub = wanted.lazy.compactMap { stub in self.stubs.problem(of: stub).map { "\(stub) \($0)" } }
      .first
    guard
      let problem = foreignStub
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

  /// Sets the state of a scenario, for example to skip the first steps.
  public func setState(_ state: String, ofScenario name: String) {
    stubs.scenarios.set(state, of: name)
  }
}

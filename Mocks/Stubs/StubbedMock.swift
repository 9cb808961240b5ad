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
  /// A stub is known by its identity, see ``Stub/calls``: one that was made of another is not that one.
  public func remove(_ stubs: Stub...) { self.stubs.remove(stubs) }

  /// Takes all stubs away, and the routes of a server.
  public func removeAllStubs() { stubs.removeAll() }

  /// The stubs that have not answered as often as they say, in their order: once, or as ``Stub/times(_:)`` says.
  ///
  /// ``Stub/optional()`` stubs and routes are not among them.
  public var unusedStubs: [Stub] { stubs.unused.map(\.stub) }

  /// Throws ``UnusedStubs``, which names files and lines, unless every stub has answered as often as it says: for the end of
  /// a test, while a server runs.
  public func checkAllUsed() throws { try UnusedStubs.check(stubs.unused) }

  /// The requests of this mock that a stub has answered; none of one that was removed.
  ///
  /// ``Stub/calls`` has those of all mocks.
  public func calls(of stub: Stub) -> [ReceivedRequest] { stubs.calls(of: stub) }

  /// Throws ``UnexpectedCalls`` unless the calls of some stubs came in this order, and no others of them: a stub stands here as
  /// often as it is to have answered.
  ///
  ///     try transport.checkOrder(login, list, list, logout)
  ///
  /// - Parameters:
  ///   - wanted: the stubs; calls of others do not count.
  ///   - fileID: where it is checked; the caller's file by default.
  ///   - line: where it is checked; the caller's line by default.
  public func checkOrder(_ wanted: Stub..., fileID: String = #fileID, line: Int = #line) throws {
    var seen: Set<ObjectIdentifier> = []
    let distinct = wanted.filter { seen.insert(ObjectIdentifier($0.record)).inserted }
    let calls = distinct.flatMap { stub in self.calls(of: stub).map { (stub: stub, request: $0) } }
      .sorted { $0.request.number < $1.request.number }
    let place = calls.indices.first { $0 >= wanted.count || calls[$0].stub.record !== wanted[$0].record }
    guard let problem = Self.problem(at: place ?? calls.count, calls.map(\.stub), wanted) else { return }
    throw UnexpectedCalls(
      problem: problem, calls: calls.map(\.request),
      lines: calls.map { "\($0.request.line(hiding: $0.stub.secrets)) by \($0.stub)" }, fileID: fileID,
      line: line)
  }

  private static func problem(at place: Int, _ found: [Stub], _ wanted: [Stub]) -> String? {
    let number = "call \(place + 1)"
    switch (place < found.count ? found[place] : nil, place < wanted.count ? wanted[place] : nil) {
    case (nil, nil): return nil
    case (let stub?, nil): return "\(number) was one too many, answered by \(stub)"
    case (nil, let stub?): return "\(number) was missing, to be answered by \(stub)"
    case (let stub?, let other?): return "\(number) was answered by \(stub), not by \(other)"
    }
  }

  /// The state of a scenario, `started` at first; see ``Stub/scenario(_:when:to:)``.
  public func state(ofScenario name: String) -> String { stubs.state(of: name) }

  /// Puts a scenario in a state, for a test that begins in the middle of it.
  public func setState(_ state: String, ofScenario name: String) { stubs.setState(state, of: name) }
}

import Errand

/// The stubs of a transport, and how far each one is.
final class StubList: Sendable {
  private let patterns: [RequestPattern]
  private let sequences: Locked<[AnswerSequence]>

  init(_ stubs: [Stub]) {
    patterns = stubs.map(\.pattern)
    sequences = Locked(stubs.map { AnswerSequence($0.answers) })
  }

  /// The next answer of the first stub that matches.
  func answer(to request: ReceivedRequest) throws -> MockAnswer {
    let place = request.place
    guard let index = patterns.firstIndex(where: { $0.matches(request.method, place) }) else {
      let url = request.url.map(Redaction.standard.url) ?? request.target
      throw TransportError(
        .unmatchedStub, "no stub answers \(request.method) \(url); \(patterns.listed(as: "stubs"))")
    }
    return sequences.withLock { $0[index].next() }
  }
}

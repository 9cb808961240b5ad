import Errand

/// The stubs of a transport, and how far each one is.
final class StubList: Sendable {
  private let stubs: [Stub]
  // What is looked at for each request, apart: copying a stub would cost more than the look.
  private let patterns: [RequestPattern]
  private let conditions: [[any StubCondition]]
  private let sequences: Locked<[AnswerSequence]>

  init(_ stubs: [Stub]) {
    self.stubs = stubs
    patterns = stubs.map(\.pattern)
    conditions = stubs.map(\.conditions)
    sequences = Locked(stubs.map { AnswerSequence($0.answers, limit: $0.limit) })
  }

  /// The next answer of the first stub that matches and is not spent.
  ///
  /// - Parameter sent: the request as the transport was given it, which knows the secrets of its dispatch.
  func answer(to request: ReceivedRequest, _ sent: HTTPRequest) throws -> MockAnswer {
    let place = request.place
    for index in patterns.indices where patterns[index].matches(request.method, place) {
      guard conditions[index].isEmpty || conditions[index].areMet(by: request) else { continue }
      if let answer = sequences.withLock({ $0[index].next() }) {
        guard let remade = answer.remade, let coding = sent.jsonCoding else { return answer }
        return remade(coding)
      }
    }
    throw unmatched(request, sent)
  }

  /// Those that have not answered, in their order.
  var unused: [Stub] {
    let counts = sequences.withLock { $0.map(\.used) }
    return zip(stubs, counts).filter { $0.1 == 0 }.map(\.0)
  }

  private func unmatched(_ request: ReceivedRequest, _ sent: HTTPRequest) -> TransportError {
    let redaction = NearestStubs.redaction(of: sent, among: stubs)
    let message = NearestStubs.message(
      "stub", request, to: redaction.url(sent.url), among: stubs, hiding: redaction)
    return TransportError(.unmatchedStub, message)
  }
}

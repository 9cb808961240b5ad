import Errand

final class ServerScript: Sendable {
  let stubs: StubList
  private let queue = Locked<[MockAnswer]>([])
  let forwarder: ProxyForwarder?

  init(_ journal: ServerJournal, forwardingBy forwarder: ProxyForwarder? = nil) {
    stubs = StubList(journal)
    self.forwarder = forwarder
  }

  func enqueue(_ answers: [MockAnswer]) { queue.withLock { $0 += answers } }

  func answer(to request: ReceivedRequest) -> MockAnswer? {
    guard let (use, position) = stubs.taken(by: request) else {
      return queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    if let answer = use.answer(at: position) { return answer }
    let noun = use.isRoute ? "route" : "stub"
    guard case .prompt(let answer) = use.closure else {
      let name = use.stub.description
      return .text(
        "the stub \(name) has an async closure, which a MockServer does not support", status: 500)
    }
    do {
      return try answer(request.filled(for: use.pattern))
    } catch {
      return .text("the \(noun) threw: \(error)", status: 500)
    }
  }

  func refusal(of request: ReceivedRequest) -> MockAnswer {
    // A client may show only the beginning of the body.
    let text = stubs.refusal("route", of: request, sent: request.sent, beginsWithNearest: true) {
      $0.target(request.target)
    }
    return .text(text, status: 404)
  }

  func clear() {
    stubs.removeAll()
    let old = queue.withLock { queue in
      let old = queue
      queue = []
      return old
    }
    withExtendedLifetime(old) {}
  }
}

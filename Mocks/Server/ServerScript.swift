import Errand

/// What a server answers: its routes, its stubs and its queue.
final class ServerScript: Sendable {
  /// Routes and stubs, the newest first.
  let stubs: StubList
  private let queue = Locked<[MockAnswer]>([])
  /// Hands on what nothing answers; `nil` where nothing is handed on.
  let handover: Handover?

  init(_ journal: ServerJournal, handingOn handover: Handover? = nil) {
    stubs = StubList(journal)
    self.handover = handover
  }

  func enqueue(_ answers: [MockAnswer]) { queue.withLock { $0 += answers } }

  /// The answer of the newest route or stub that matches, or the queue's; `nil` when nothing answers.
  func answer(to request: ReceivedRequest) -> MockAnswer? {
    guard let (use, position) = stubs.taken(by: request) else {
      return queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    if let answer = use.answer(at: position) { return answer }
    let noun = use.isRoute ? "route" : "stub"
    guard case .prompt(let answer) = use.closure else {
      let name = use.stub.description
      return .text(
        "the stub \(name) answers by a closure that waits, which only a transport asks", status: 500)
    }
    do {
      return try answer(request.filled(for: use.pattern))
    } catch {
      return .text("the \(noun) threw: \(error)", status: 500)
    }
  }

  /// The answer to a request that ``answer(to:)`` has none for.
  func refusal(of request: ReceivedRequest) -> MockAnswer {
    // The error of a client has the beginning of it.
    let text = stubs.refusal("route", of: request, sent: request.sent, beginsWithNearest: true) {
      $0.target(request.target)
    }
    return .text(text, status: 404)
  }

  /// Forgets everything, and so releases what the closures hold.
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

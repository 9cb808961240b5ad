import Errand

/// What a server answers: its routes, its stubs and its queue.
final class ServerScript: Sendable {
  typealias Handler = @Sendable (ReceivedRequest) throws -> MockAnswer

  private enum Reply: Sendable {
    case sequence(AnswerSequence, isRoute: Bool)
    case handler(Handler)
  }

  private enum Choice: Sendable {
    case answer(MockAnswer)
    case handler(Handler)
  }

  private struct State: Sendable {
    /// In the order in which they are asked.
    var stubs: [Stub] = []
    /// One for each stub.
    var replies: [Reply] = []
    var queue: [MockAnswer] = []
  }

  private let state = Locked(State())

  /// Adds stubs before those that are there, to be asked in their order.
  func add(_ stubs: [Stub], isRoute: Bool) {
    let replies = stubs.map { Reply.sequence(AnswerSequence($0.answers, limit: $0.limit), isRoute: isRoute) }
    add(stubs, replies)
  }

  func add(_ route: Stub, _ handler: @escaping Handler) { add([route], [.handler(handler)]) }

  func enqueue(_ answers: [MockAnswer]) { state.withLock { $0.queue += answers } }

  /// The answer of the newest route or stub that matches, or the queue's; `nil` when nothing answers.
  func answer(to request: ReceivedRequest) -> MockAnswer? {
    switch choice(for: request) {
    case .answer(let answer): return answer
    case nil: return nil
    case .handler(let handler):
      do {
        return try handler(request)
      } catch {
        return .text("the route threw: \(error)", status: 500)
      }
    }
  }

  /// The answer to a request that ``answer(to:)`` has none for.
  func refusal(of request: ReceivedRequest) -> MockAnswer {
    let stubs = state.withLock { $0.stubs }
    let sent = request.url.map {
      HTTPRequest(url: $0, method: request.method, headers: request.headers, body: .data(request.body))
    }
    let redaction = NearestStubs.redaction(of: sent, among: stubs)
    let message = NearestStubs.message(
      "route", request, to: redaction.target(request.target), among: stubs, hiding: redaction)
    return .text(message, status: 404)
  }

  /// The stubs that have not answered, in their order; routes are none.
  var unusedStubs: [Stub] {
    let (stubs, replies) = state.withLock { ($0.stubs, $0.replies) }
    return zip(stubs, replies).compactMap { stub, reply in
      if case .sequence(let sequence, isRoute: false) = reply, sequence.used == 0 { stub } else { nil }
    }
  }

  /// Forgets everything, and so releases what the handlers hold.
  func clear() {
    // The old state is released after the lock: a handler's last reference may run anything.
    _ = state.withLock { state in
      defer { state = State() }
      return state
    }
  }

  /// Conditions are code of the test's, so that they are asked outside the lock.
  private func choice(for request: ReceivedRequest) -> Choice? {
    let place = request.place
    let stubs = state.withLock { $0.stubs }
    for index in stubs.indices where stubs[index].matches(request, place) {
      if let choice = take(fromEnd: stubs.count - index) { return choice }
    }
    return state.withLock { $0.queue.isEmpty ? nil : .answer($0.queue.removeFirst()) }
  }

  /// What a stub gives now, which is counted from the end as others may have been added since; `nil` when it is
  /// spent, or the server has stopped.
  private func take(fromEnd distance: Int) -> Choice? {
    state.withLock { state in
      let index = state.replies.count - distance
      guard index >= 0 else { return nil }
      switch state.replies[index] {
      case .handler(let handler): return .handler(handler)
      case .sequence(var sequence, let isRoute):
        defer { state.replies[index] = .sequence(sequence, isRoute: isRoute) }
        return sequence.next().map(Choice.answer)
      }
    }
  }

  private func add(_ stubs: [Stub], _ replies: [Reply]) {
    state.withLock { state in
      state.stubs.insert(contentsOf: stubs, at: 0)
      state.replies.insert(contentsOf: replies, at: 0)
    }
  }
}

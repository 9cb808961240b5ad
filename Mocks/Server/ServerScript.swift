import Errand

/// What a server answers: its routes and its queue.
final class ServerScript: Sendable {
  typealias Handler = @Sendable (ReceivedRequest) throws -> MockAnswer

  private enum Reply: Sendable {
    case sequence(AnswerSequence)
    case handler(Handler)
  }

  private enum Choice: Sendable {
    case answer(MockAnswer)
    case handler(Handler)
  }

  private struct State: Sendable {
    var patterns: [RequestPattern] = []
    var replies: [Reply] = []
    var queue: [MockAnswer] = []
  }

  private let state = Locked(State())

  func add(_ pattern: RequestPattern, _ answers: [MockAnswer]) {
    add(pattern, .sequence(AnswerSequence(answers)))
  }

  func add(_ pattern: RequestPattern, _ handler: @escaping Handler) { add(pattern, .handler(handler)) }

  func enqueue(_ answers: [MockAnswer]) { state.withLock { $0.queue += answers } }

  /// The answer of the newest route that matches, or the queue's; `nil` when nothing answers.
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
    let routes = state.withLock { $0.patterns }
    return .text(
      "no route answers \(request.method) \(request.target); \(routes.listed(as: "routes"))", status: 404)
  }

  /// Forgets everything, and so releases what the handlers hold.
  func clear() {
    // The old state is released after the lock: a handler's last reference may run anything.
    _ = state.withLock { state in
      defer { state = State() }
      return state
    }
  }

  private func choice(for request: ReceivedRequest) -> Choice? {
    let place = request.place
    return state.withLock { state in
      guard let index = state.patterns.lastIndex(where: { $0.matches(request.method, place) }) else {
        return state.queue.isEmpty ? nil : .answer(state.queue.removeFirst())
      }
      switch state.replies[index] {
      case .handler(let handler): return .handler(handler)
      case .sequence(var sequence):
        defer { state.replies[index] = .sequence(sequence) }
        return .answer(sequence.next())
      }
    }
  }

  private func add(_ pattern: RequestPattern, _ reply: Reply) {
    state.withLock { state in
      state.patterns.append(pattern)
      state.replies.append(reply)
    }
  }
}

import Errand

/// Answers in order; the last one repeats.
struct AnswerSequence: Sendable {
  private let answers: [MockAnswer]
  private var used = 0

  /// Makes a sequence; an empty one answers 200 without a body.
  init(_ answers: [MockAnswer]) { self.answers = answers.isEmpty ? [.status(200)] : answers }

  mutating func next() -> MockAnswer {
    defer { used += 1 }
    return answers[min(used, answers.count - 1)]
  }
}

import Errand

/// Answers in order; the last one repeats until so many were given.
struct AnswerSequence: Sendable {
  private let answers: [MockAnswer]
  private let limit: Int
  /// How many were given.
  private(set) var used = 0

  /// Makes a sequence without an end; an empty one answers 200 without a body.
  init(_ answers: [MockAnswer], limit: Int? = nil) {
    self.answers = answers.isEmpty ? [.status(200)] : answers
    self.limit = limit ?? .max
  }

  /// The next answer; `nil` when all were given.
  mutating func next() -> MockAnswer? {
    guard used < limit else { return nil }
    defer { used += 1 }
    return answers[min(used, answers.count - 1)]
  }
}

import ErrandMocks

@testable import Errand

/// A `*` at the end matches any suffix.
final class AnswerTable: Sendable {
  private let answers = Locked([(String, @Sendable (ReceivedRequest) -> MockAnswer)]())

  func add(_ path: String, _ answer: @escaping @Sendable (ReceivedRequest) -> MockAnswer) {
    answers.withLock { $0.append((path, answer)) }
  }

  func answer(to request: ReceivedRequest) -> MockAnswer {
    let answers = answers.withLock { $0 }
    let match = answers.last { path, _ in
      path.hasSuffix("*") ? request.path.hasPrefix(path.dropLast()) : request.path == path
    }
    return match?.1(request) ?? .status(404)
  }
}

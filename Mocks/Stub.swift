public import Errand

/// The answers of a ``MockTransport`` to one method and URL.
///
///     Stub(.get, "https://api.example.com/users/7", answers: .status(503), .json(#"{"id":7}"#))
public struct Stub: Sendable {
  let pattern: RequestPattern
  let answers: [MockAnswer]

  /// Makes a stub of answers that are given in order; the last one repeats.
  ///
  /// - Parameters:
  ///   - method: the method; `nil` for every method.
  ///   - url: a whole URL, or a path such as `/users/7` that matches on any host. A `*` at the end of the path
  ///     stands for any rest. The query is compared, in any order of its items, when there is one here, and ignored
  ///     otherwise. Percent-encoding makes no difference.
  ///   - answers: what it answers; without any it is 200 without a body.
  public init(_ method: HTTPMethod?, _ url: String, answers: MockAnswer...) {
    pattern = RequestPattern(method, url)
    self.answers = answers
  }
}

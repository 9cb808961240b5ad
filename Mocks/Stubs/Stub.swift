public import Errand

/// The answers of a ``MockTransport`` or a ``MockServer`` to one method and URL, and what else it asks of a request.
///
///     Stub(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#))
///     Stub(.get, "/users/*/posts", answers: .json("[]")).query("page", "2").header("Accept", "application/json")
///     Stub(.post, "/users", answers: .status(201)).jsonBody(#"{"name":"Ada"}"#).times(1)
///     Stub(answering: GetUser(id: 7), with: User(id: 7, name: "Ada"))
///
/// It remembers where it was written, and every message about it says so.
public struct Stub: Sendable {
  let pattern: RequestPattern
  var conditions: [any StubCondition] = []
  /// Of the endpoint it was made of, to be hidden in every message about it.
  var secrets: [Secret] = []
  var answers: [MockAnswer]
  /// How many answers it gives; `nil` is no limit.
  var limit: Int?
  /// The module and the file in which it was written, such as `AppTests/UserTests.swift`.
  public let fileID: String
  /// The line on which it was written.
  public let line: Int

  /// Makes a stub of answers that are given in order; the last one repeats, unless ``times(_:)`` says otherwise.
  ///
  /// - Parameters:
  ///   - method: the method; `nil` for every method.
  ///   - url: a whole URL, or a path such as `/users/7` that matches on any host. A component of the path that is
  ///     `*` stands for any one, `**` for any number of them, also none, and a `*` at the end of the path for any
  ///     rest. The query is compared, in any order of its items, when there is one here, and ignored otherwise; see
  ///     ``query(_:_:)`` too. Percent-encoding makes no difference, but that `%2A` is no wildcard.
  ///   - answers: what it answers; without any it is 200 without a body.
  ///   - fileID: where it is written; the caller's file by default.
  ///   - line: where it is written; the caller's line by default.
  public init(
    _ method: HTTPMethod?, _ url: String, answers: MockAnswer..., fileID: String = #fileID, line: Int = #line
  ) {
    self.init(RequestPattern(method, url), answers, fileID: fileID, line: line)
  }

  init(_ pattern: RequestPattern, _ answers: [MockAnswer], fileID: String, line: Int) {
    self.pattern = pattern
    self.answers = answers
    self.fileID = fileID
    self.line = line
  }

  /// Whether it is meant for the request, answers left or not.
  func matches(_ request: ReceivedRequest, _ place: RequestTarget) -> Bool {
    pattern.matches(request.method, place) && conditions.areMet(by: request)
  }
}

extension Stub: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method, URL and where it was written: `GET /users/7 (UserTests.swift:12)`; secrets in the query are hidden, and
  /// those of the endpoint it was made of.
  public var description: String { description(hiding: Redaction.standard.hiding(secrets: secrets)).printed }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same, and the answers.
  public var customMirror: Mirror { Mirror(self, children: ["stub": description, "answers": answers]) }

  func description(hiding redaction: Redaction) -> String {
    "\(pattern.description(hiding: redaction)) (\(fileID.split(separator: "/").last ?? "?"):\(line))"
  }
}

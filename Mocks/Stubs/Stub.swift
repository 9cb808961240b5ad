public import Errand
public import Foundation

/// The answers of a ``MockTransport`` or ``MockServer`` to requests with a method and URL, with optional
/// conditions.
///
///     Stub(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#))
///     Stub(.get, "/users/*/posts", answers: .json("[]")).query("page", "2").times(1)
///     Stub(answering: GetUser(id: 7), with: User(id: 7, name: "Ada"))
public struct Stub: Sendable {
  private(set) var pattern: RequestPattern
  var conditions: [any StubCondition] = []
  var secrets: [Secret] = []
  var answers: [MockAnswer]
  /// Answers requests after `answers` are used; `nil`: the last answer repeats.
  var closure: StubClosure?
  var counts = CallCount(1...)
  var step: ScenarioStep?
  /// Shared by copies of the stub; ``changed(_:)`` creates a new record.
  private(set) var record = StubRecord()
  /// The module and the file of the stub, such as `AppTests/UserTests.swift`.
  public let fileID: String
  /// The line of the stub in the file.
  public let line: Int

  /// Creates a stub with answers in order; the last answer repeats, up to the limit of ``times(_:)``.
  ///
  /// In a path:
  ///
  /// - `*` is a nonempty component. At the end, `*` is any text, also with slashes.
  /// - `**` is any number of components.
  /// - `*.png` is a component with text before the suffix.
  /// - `{id}` is a variable; `{id:int}` has a type: `int`, `number`, `uuid`, `date` or `word`.
  /// - `%2A` and `%7B` stand for `*` and `{`.
  ///
  /// If `url` has no query, any query matches. Otherwise, the query items must be equal, in any order.
  ///
  /// - `method`: `nil` for any method.
  /// - `url`: a whole URL, or a path for any host.
  /// - `answers`: 200 without a body by default.
  public init(
    _ method: HTTPMethod?, _ url: String, answers: MockAnswer..., fileID: String = #fileID, line: Int = #line
  ) {
    self.init(RequestPattern(method, url: url), answers: answers, fileID: fileID, line: line)
  }

  /// Creates a stub with a closure that makes each answer from the request.
  ///
  /// A ``MockTransport`` calls the closure off the main actor, a ``MockServer`` on the server's thread. If
  /// the closure throws, the transport usually throws the error, and the server responds with status 500.
  public init(
    _ method: HTTPMethod?, _ url: String, fileID: String = #fileID, line: Int = #line,
    answer: @escaping @Sendable (_ request: ReceivedRequest) throws -> MockAnswer
  ) {
    self.init(RequestPattern(method, url: url), answers: [], fileID: fileID, line: line)
    closure = .prompt(answer)
  }

  /// Creates a stub with an asynchronous closure, for a ``MockTransport`` only.
  ///
  /// The task of the closure is cancelled with the request. A ``MockServer`` responds with status 500 and
  /// does not call the closure.
  public init(
    _ method: HTTPMethod?, _ url: String, fileID: String = #fileID, line: Int = #line,
    answer: @escaping @Sendable (_ request: ReceivedRequest) async throws -> MockAnswer
  ) {
    self.init(RequestPattern(method, url: url), answers: [], fileID: fileID, line: line)
    closure = .waiting(answer)
  }

  init(_ pattern: RequestPattern, answers: [MockAnswer], fileID: String, line: Int) {
    self.pattern = pattern
    self.answers = answers
    self.fileID = fileID
    self.line = line
  }

  func changed(_ change: (inout Stub) -> Void) -> Stub {
    var copy = self
    copy.record = StubRecord(of: record)
    change(&copy)
    return copy
  }
}

extension Stub: PrintedByDescription {
  /// The method, URL, file and line, with secrets hidden: `GET /users/7 (UserTests.swift:12)`.
  public var description: String { description(hiding: Redaction.standard.hiding(secrets: secrets)).printed }
  /// The description and the answers, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["stub": description, "answers": answers]) }

  func description(hiding redaction: Redaction) -> String {
    "\(pattern.description(hiding: redaction)) (\(fileID.split(separator: "/").last ?? "?"):\(line))"
  }
}

extension Stub {
  /// Returns this stub with an exact number of answers.
  ///
  /// After `count` answers, the next matching stub answers. `checkAllUsed` reports this stub if it gave fewer
  /// answers.
  public func times(_ count: Int) -> Stub {
    changed { $0.counts = CallCount(max(count, 0)...max(count, 0)) }
  }

  /// Returns this stub with a number of answers in a range, such as `1...3`.
  public func times(_ counts: some RangeExpression<Int>) -> Stub { changed { $0.counts = CallCount(counts) } }

  /// Returns this stub with no minimum number of answers, so that `checkAllUsed` does not report the stub.
  public func optional() -> Stub { changed { $0.counts = $0.counts.optional } }

  /// Returns this stub with additional answers before the present answers.
  public func after(_ answers: MockAnswer...) -> Stub {
    changed { stub in
      stub.answers = answers + stub.ownAnswers
    }
  }

  /// Returns this stub with default header fields.
  ///
  /// An answer's own field with the same name takes precedence.
  public func answering(withHeaders headers: HTTPHeaders) -> Stub {
    changed { stub in
      stub.answers = stub.ownAnswers.map { $0.adding(defaults: headers) }
      stub.closure = stub.closure?.adding(defaults: headers)
    }
  }

  private var ownAnswers: [MockAnswer] { answers.isEmpty && closure == nil ? [.status(200)] : answers }

  /// Returns this stub as a step of a scenario; each scenario begins in the state `started`.
  ///
  ///     Stub(.post, "/cart", answers: .status(201)).scenario("cart", to: "filled")
  ///     Stub(.get, "/cart", answers: .json("[7]")).scenario("cart", when: "filled")
  ///
  /// The stub answers only in the state `when`. With an answer, the scenario changes to the state `to`.
  /// `when: nil` accepts any state, and `to: nil` keeps the state.
  public func scenario(_ name: String, when state: String? = nil, to next: String? = nil) -> Stub {
    changed { $0.step = ScenarioStep(name: name, required: state, next: next) }
  }
}

extension [Stub] {
  /// Returns the stubs below a base URL, with optional conditions on header fields.
  ///
  ///     [Stub(.get, "/me"), Stub(.delete, "/me")].under("https://api.example.com/v1")
  ///
  /// A stub for a whole URL keeps the URL.
  public func under(_ base: String, headers: KeyValuePairs<String, TextPattern> = [:]) -> [Stub] {
    map { stub in
      headers.reduce(stub.changed { $0.setBase(base) }) { $0.header($1.key, $1.value) }
    }
  }

  /// Returns the stubs with default header fields.
  ///
  /// An answer's own field with the same name takes precedence.
  public func answering(withHeaders headers: HTTPHeaders) -> [Stub] {
    map { $0.answering(withHeaders: headers) }
  }
}

extension Stub {
  fileprivate mutating func setBase(_ base: String) { pattern = pattern.under(base) }
}

/// Stubs for endpoints. The method and URL of a stub come from the endpoint.
///
/// Without a base URL, a relative path matches any origin and any base path. The request's query may have
/// further items. The body is not compared; `jsonBody` adds a comparison.
extension Stub {
  /// Creates a stub that answers an endpoint with an encoded `Response` value.
  ///
  /// The value is encoded as JSON, at the key path of the serializer, if any. Without a standard JSON
  /// serializer, a `String` is sent as text and `Data` as raw bytes. The default `encoder` usually fits the
  /// JSON decoder of the endpoint, or else of the agent. A ``MockServer`` does not know the agent's decoder.
  public init<R: Request>(
    answering request: R, with value: R.Response, status: HTTPResponse.Status = 200,
    encoder: JSONEncoder? = nil,
    fileID: String = #fileID, line: Int = #line
  ) where R.Response: Encodable {
    self.init(of: request, [], fileID: fileID, line: line)
    let value = TypedValue(value, of: request, encoder: encoder)
    answers = [value.answer(status: status, stubName: description)]
  }

  /// Creates a stub that answers an endpoint with a `Void` response; by default 204 without a body.
  public init<R: Request>(
    answering request: R, status: HTTPResponse.Status = 204, fileID: String = #fileID, line: Int = #line
  ) where R.Response == Void {
    self.init(of: request, [.status(status)], fileID: fileID, line: line)
  }

  /// Creates a stub that answers an endpoint with any answers in order; the last answer repeats.
  public init<R: Request>(
    answering request: R, answers first: MockAnswer, _ others: MockAnswer..., fileID: String = #fileID,
    line: Int = #line
  ) {
    self.init(of: request, [first] + others, fileID: fileID, line: line)
  }

  private init(of request: some Request, _ answers: [MockAnswer], fileID: String, line: Int) {
    let place = EndpointPattern(of: request)
    self.init(place.pattern, answers: answers, fileID: fileID, line: line)
    secrets = SecretFinder.secrets(of: request)
    conditions = place.queryItems.map { QueryCondition(name: $0.name, wanted: .equal($0.value)) }
  }
}

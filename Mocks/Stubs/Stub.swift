public import Errand
public import Foundation

/// The answers of a ``MockTransport`` or a ``MockServer`` to one method and URL, and what else it asks of a request.
///
///     Stub(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#))
///     Stub(.get, "/users/*/posts", answers: .json("[]")).query("page", "2").header("Accept", "application/json")
///     Stub(.post, "/users", answers: .status(201)).jsonBody(#"{"name":"Ada"}"#).times(1)
///     Stub(answering: GetUser(id: 7), with: User(id: 7, name: "Ada"))
///
/// It remembers where it was written, and every message about it says so.
public struct Stub: Sendable {
  private(set) var pattern: RequestPattern
  var conditions: [any StubCondition] = []
  /// Of the endpoint it was made of, to be hidden in every message about it.
  var secrets: [Secret] = []
  var answers: [MockAnswer]
  /// What answers when its answers are used up; `nil` repeats the last one.
  var closure: StubClosure?
  /// How many answers it gives, and how many it is to give.
  var counts = CallCount(1...)
  /// The states in which it answers, and those after it; `nil` is any.
  var step: ScenarioStep?
  /// What it is known by: its copies have the same one, what is made of it has its own, which knows this one.
  private(set) var record = StubRecord()
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
  ///     ``query(_:_:)`` too. A component `*.png` stands for one that ends so. `{id}` is one component whose value is told to
  ///     closures and conditions, `{id:int}` one of a type: `int`, `number`, `uuid`, `date`, `word`; texts may stand around it.
  ///     Percent-encoding makes no difference, but that `%2A` is no wildcard and `%7B` begins no variable.
  ///   - answers: what it answers; without any it is 200 without a body.
  ///   - fileID: where it is written; the caller's file by default.
  ///   - line: where it is written; the caller's line by default.
  public init(
    _ method: HTTPMethod?, _ url: String, answers: MockAnswer..., fileID: String = #fileID, line: Int = #line
  ) {
    self.init(RequestPattern(method, url: url), answers: answers, fileID: fileID, line: line)
  }

  /// Makes a stub that asks a closure for each answer, and tells it the values of the path's variables.
  ///
  ///     Stub(.get, "/users/{id:int}") { request in .json(#"{"id":\(request.variables["id"] ?? "0")}"#) }
  ///
  /// What it throws is thrown to the agent by a ``MockTransport``, and is a 500 of a ``MockServer``, on whose thread it
  /// runs; either way the request counts as answered.
  ///
  /// - Parameters:
  ///   - method: the method; `nil` for every method.
  ///   - url: a whole URL or a path; see ``init(_:_:answers:fileID:line:)``.
  ///   - fileID: where it is written; the caller's file by default.
  ///   - line: where it is written; the caller's line by default.
  ///   - answer: called for each request, several at a time when they come so, off the main actor.
  public init(
    _ method: HTTPMethod?, _ url: String, fileID: String = #fileID, line: Int = #line,
    answer: @escaping @Sendable (_ request: ReceivedRequest) throws -> MockAnswer
  ) {
    self.init(RequestPattern(method, url: url), answers: [], fileID: fileID, line: line)
    closure = .prompt(answer)
  }

  /// Makes a stub that asks a closure which may wait; for a ``MockTransport``: a ``MockServer`` answers 500 and says so.
  ///
  /// The closure runs in a task that is cancelled with the request; the rest is as without a wait.
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

  /// Another stub, made of this one: its calls are this one's too.
  func changed(_ change: (inout Stub) -> Void) -> Stub {
    var copy = self
    copy.record = StubRecord(of: record)
    change(&copy)
    return copy
  }
}

extension Stub: PrintedByDescription {
  /// Method, URL and where it was written: `GET /users/7 (UserTests.swift:12)`; secrets in the query are hidden, and
  /// those of the endpoint it was made of.
  public var description: String { description(hiding: Redaction.standard.hiding(secrets: secrets)).printed }
  /// Shows `dump` the same, and the answers.
  public var customMirror: Mirror { Mirror(self, children: ["stub": description, "answers": answers]) }

  func description(hiding redaction: Redaction) -> String {
    "\(pattern.description(hiding: redaction)) (\(fileID.split(separator: "/").last ?? "?"):\(line))"
  }
}

/// How often it answers, and with what.
extension Stub {
  /// This stub for exactly so many answers: then it is spent, and the next stub that matches is asked.
  ///
  /// Without it a stub repeats its last answer for ever, and has been used when it has answered once; with `.times(2)`, two
  /// answers are given once each, and `checkAllUsed` misses what was not given. None and fewer is a stub that never
  /// answers.
  public func times(_ count: Int) -> Stub {
    changed { $0.counts = CallCount(max(count, 0)...max(count, 0)) }
  }

  /// This stub for a number of answers in a range: `1...3` is spent after three, `2...` is not used with fewer than two,
  /// `...3` need not answer at all.
  public func times(_ counts: some RangeExpression<Int>) -> Stub { changed { $0.counts = CallCount(counts) } }

  /// This stub, but `checkAllUsed` does not miss it when it has not answered.
  public func optional() -> Stub { changed { $0.counts = $0.counts.optional } }

  /// This stub with other answers before its own, such as failures before the value of a typed stub.
  ///
  ///     Stub(answering: GetUser(id: 7), with: ada).after(.status(503), .fault(.reset))
  public func after(_ answers: MockAnswer...) -> Stub {
    changed { stub in
      stub.answers = answers + stub.ownAnswers
    }
  }

  /// This stub with header fields on each of its answers, those of closures included; a field that an answer has itself stays alone.
  ///
  /// The status and the body stay, and a fault or an ``AnswerStep`` has no head to add to. For several stubs at once there is
  /// ``Swift/Array/answering(withHeaders:)``.
  public func answering(withHeaders headers: HTTPHeaders) -> Stub {
    changed { stub in
      stub.answers = stub.ownAnswers.map { $0.adding(defaults: headers) }
      stub.closure = stub.closure?.adding(defaults: headers)
    }
  }

  /// The answers, the default one included.
  private var ownAnswers: [MockAnswer] { answers.isEmpty && closure == nil ? [.status(200)] : answers }

  /// This stub as a step of a scenario, whose state says what came before.
  ///
  ///     Stub(.get, "/cart", answers: .json("[]")).scenario("cart", when: "started")
  ///     Stub(.post, "/cart", answers: .status(201)).scenario("cart", to: "filled")
  ///     Stub(.get, "/cart", answers: .json("[7]")).scenario("cart", when: "filled")
  ///
  /// Every scenario of a mock begins as `started`, and does so again after a reset. A state that nothing leads to is a mistake, which
  /// `checkAllUsed` names.
  ///
  /// - Parameters:
  ///   - name: of the scenario.
  ///   - state: the one in which it answers; `nil`, the default, for any.
  ///   - next: the one that its answer leads to; `nil`, the default, to leave it.
  public func scenario(_ name: String, when state: String? = nil, to next: String? = nil) -> Stub {
    changed { $0.step = ScenarioStep(name: name, required: state, next: next) }
  }
}

/// What stubs share.
extension [Stub] {
  /// These stubs below a base URL, for requests with some header fields.
  ///
  ///     MockTransport([
  ///       Stub(.get, "/users/7", answers: .json(#"{"id":7}"#)),
  ///       Stub(.delete, "/users/7", answers: .status(204)),
  ///     ].under("https://api.example.com/v1", headers: ["Accept": "application/json"]))
  ///
  /// What they answer is among the calls of those they were made of too, see ``Stub/calls``.
  ///
  /// - Parameters:
  ///   - base: what comes before their paths; a stub with a whole URL keeps that.
  ///   - headers: what each request must have besides, one name perhaps more than once; none by default.
  public func under(_ base: String, headers: KeyValuePairs<String, TextPattern> = [:]) -> [Stub] {
    map { stub in
      headers.reduce(stub.changed { $0.setBase(base) }) { $0.header($1.key, $1.value) }
    }
  }

  /// These stubs with header fields on each of their answers; a field that an answer has itself stays alone.
  ///
  ///     MockTransport([
  ///       Stub(.get, "/users/7", answers: .json(#"{"id":7}"#)),
  ///       Stub(.delete, "/users/7", answers: .status(204)),
  ///     ].answering(withHeaders: ["X-API-Version": "3", "Cache-Control": "no-store"]))
  public func answering(withHeaders headers: HTTPHeaders) -> [Stub] {
    map { $0.answering(withHeaders: headers) }
  }
}

extension Stub {
  fileprivate mutating func setBase(_ base: String) { pattern = pattern.under(base) }
}

/// Stubs of endpoints: the method and the place are the request's own.
///
/// The place is its ``/Errand/Request/path`` under its ``/Errand/Request/baseURL``. Without a base, which is the agent's
/// then, any origin matches, and any path that ends so. The items of its query must be there, others may be; where
/// hooks change place or method, write the stub of what they make of them. Its body does not count: add
/// ``jsonBody(_:)``. Each ``/Errand/Secret`` of the endpoint is hidden in what is printed of the stub.
extension Stub {
  /// Makes a stub that answers an endpoint with the value of its response.
  ///
  /// The value travels as bytes through validation, hooks, decoding and retry: text where the request reads text,
  /// bytes where it reads bytes, and otherwise JSON, at the key path of `.json(keyPath:)`. A value that cannot be
  /// encoded is an error of kind ``Errand/RequestError/Kind/invalidStub`` when the stub is to answer.
  ///
  /// - Parameters:
  ///   - request: the endpoint.
  ///   - value: what sending it is to give.
  ///   - status: 200 by default.
  ///   - encoder: makes the JSON. `nil`, the default, takes the coding by which the answer is decoded, both ways the same, with
  ///     sorted keys: the endpoint's, else that of the agent, which a ``MockServer`` does not know. Where that decodes dates, names
  ///     or bytes by a closure, they are written as its encoder does.
  ///   - fileID: where it is written; the caller's file by default.
  ///   - line: where it is written; the caller's line by default.
  public init<R: Request>(
    answering request: R, with value: R.Response, status: HTTPResponse.Status = 200,
    encoder: JSONEncoder? = nil,
    fileID: String = #fileID, line: Int = #line
  ) where R.Response: Encodable {
    self.init(of: request, [], fileID: fileID, line: line)
    let value = TypedValue(value, of: request, encoder: encoder)
    answers = [value.answer(status: status, stubName: description)]
  }

  /// Makes a stub that answers an endpoint without a body, as its response is `Void`, by default with 204.
  public init<R: Request>(
    answering request: R, status: HTTPResponse.Status = 204, fileID: String = #fileID, line: Int = #line
  ) where R.Response == Void {
    self.init(of: request, [.status(status)], fileID: fileID, line: line)
  }

  /// Makes a stub that answers an endpoint with any answers, given in order; the last one repeats.
  public init<R: Request>(
    answering request: R, answers first: MockAnswer, _ others: MockAnswer..., fileID: String = #fileID,
    line: Int = #line
  ) {
    self.init(of: request, [first] + others, fileID: fileID, line: line)
  }

  private init(of request: some Request, _ answers: [MockAnswer], fileID: String, line: Int) {
    let place = RequestPlace(of: request)
    self.init(place.pattern, answers: answers, fileID: fileID, line: line)
    secrets = SecretFinder.secrets(of: request)
    conditions = place.queryItems.map { QueryCondition(name: $0.name, wanted: .equal($0.value)) }
  }
}

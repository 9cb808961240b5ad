import ErrandJSON
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
  /// This stub for so many answers: then it is spent, and the next stub that matches is asked.
  ///
  /// Without it a stub repeats its last answer for ever; with `.times(2)`, two answers are given once each. None and
  /// fewer is a stub that never answers.
  public func times(_ count: Int) -> Stub {
    var copy = self
    copy.limit = max(count, 0)
    return copy
  }

  /// This stub with other answers before its own, such as failures before the value of a typed stub.
  ///
  ///     Stub(answering: GetUser(id: 7), with: ada).after(.status(503), .fault(.reset))
  public func after(_ answers: MockAnswer...) -> Stub {
    var copy = self
    copy.answers = answers + (copy.answers.isEmpty ? [.status(200)] : copy.answers)
    return copy
  }
}

/// What else a request must have to be answered; a stub takes any number of these, and all must be met.
extension Stub {
  /// This stub for requests with the query item; further items, also of the same name, are ignored.
  ///
  /// - Parameters:
  ///   - name: the name, decoded.
  ///   - value: the value, decoded; a `+` in a query stands for a blank.
  public func query(_ name: String, _ value: String) -> Stub {
    adding(QueryCondition(name: name, wanted: .equal(value)))
  }

  /// This stub for requests with a query item of that name, whatever its value.
  public func query(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .present)) }

  /// This stub for requests without any query item of that name.
  public func withoutQuery(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .absent)) }

  /// This stub for requests with the header field; others, also of the same name, are ignored.
  ///
  /// - Parameters:
  ///   - name: the name, in any case.
  ///   - value: the whole value of one field, compared exactly.
  public func header(_ name: String, _ value: String) -> Stub {
    adding(HeaderCondition(name: name, wanted: .equal(value)))
  }

  /// This stub for requests with a header field of that name, whatever its value.
  public func header(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .present)) }

  /// This stub for requests without any header field of that name.
  public func withoutHeader(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .absent)) }

  /// This stub for requests whose body is JSON with everything that `json` has.
  ///
  /// An object must have the members of the one here, at any depth, and may have more. Arrays, with the objects in
  /// them, and scalars must be equal; `1` and `1.0` are. The `Content-Type` does not count.
  public func jsonBody(_ json: String) -> Stub { adding(JSONBodyCondition(json)) }

  /// This stub for requests whose body is a form with these fields; further ones are ignored.
  ///
  /// Names and values are decoded. A form of parts counts too; of any other body the `Content-Type` does not count.
  public func formBody(_ fields: [String: String]) -> Stub { adding(FormBodyCondition(fields: fields)) }

  /// This stub for requests whose body is a form of parts with this file; other parts, also of the same name, are ignored.
  ///
  ///     Stub(.post, "/avatars", answers: .status(201)).file("avatar", filename: "me.jpg", type: .jpeg)
  ///
  /// - Parameters:
  ///   - name: the name of the field.
  ///   - filename: the name of the file; `nil`, the default, for any.
  ///   - type: its `Content-Type`, as it is written; `nil`, the default, for any.
  ///   - data: its bytes; `nil`, the default, for any.
  public func file(
    _ name: String, filename: String? = nil, type: MIMEType? = nil, data: Data? = nil
  ) -> Stub {
    adding(FileCondition(name: name, filename: filename, type: type, data: data))
  }

  /// This stub for requests that a closure accepts.
  ///
  /// - Parameters:
  ///   - words: what is asked, for messages: `"the id is even"`.
  ///   - isMet: judges a request of the right method and place, perhaps more than once and several at a time; on a
  ///     ``MockServer`` on the server's thread.
  public func `where`(
    _ words: String, _ isMet: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Stub {
    adding(ClosureCondition(words: words, isMet: isMet))
  }

  private func adding(_ condition: any StubCondition) -> Stub {
    var copy = self
    copy.conditions.append(condition)
    return copy
  }
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
    answering request: R, with value: R.Response, status: HTTPStatus = 200, encoder: JSONEncoder? = nil,
    fileID: String = #fileID, line: Int = #line
  ) where R.Response: Encodable {
    self.init(of: request, [], fileID: fileID, line: line)
    let value = TypedValue(value, of: request, encoder: encoder)
    let name = description
    var answer = Self.answer(value, status, for: nil, name)
    answer.remade = { Self.answer(value, status, for: $0, name) }
    answers = [answer]
  }

  /// Makes a stub that answers an endpoint without a body, as its response is `Void`, by default with 204.
  public init<R: Request>(
    answering request: R, status: HTTPStatus = 204, fileID: String = #fileID, line: Int = #line
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
    self.init(place.pattern, answers, fileID: fileID, line: line)
    secrets = SecretFinder.secrets(of: request)
    conditions = place.queryItems.map { QueryCondition(name: $0.name, wanted: .equal($0.value)) }
  }

  private static func answer(
    _ value: TypedValue, _ status: HTTPStatus, for dispatched: JSONCoding?, _ name: String
  ) -> MockAnswer {
    do {
      return .data(try value.data(for: dispatched), contentType: value.contentType, status: status)
    } catch {
      let problem = TypedValue.clause(error)
      return .failure(TransportError(.invalidStub, "the stub \(name) has no answer: \(problem)"))
    }
  }
}

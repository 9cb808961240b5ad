/// A request for a quick call, written where it is sent: `agent.send(.get("users/7", as: User.self))`.
///
/// The static members of ``Request``, such as ``Request/get(_:parameters:query:headers:serializer:as:)``, make them; without `as:` the
/// answer is dropped. An endpoint that is called from more than one place deserves a type of its own. What no
/// argument is for is overridden: `OneOffRequest.get("users").with(\.timeout, .seconds(5))`.
public struct OneOffRequest<Response: Sendable>: Request {
  /// Joined to the agent's base; an absolute URL replaces it.
  public var path: String
  /// The method.
  public var method: HTTPMethod
  /// Override the agent's headers.
  public var headers: HTTPHeaders
  /// The query of `GET`, `HEAD` and `DELETE`, otherwise the body.
  public var parameters: Parameters
  /// Always the query.
  public var query: Parameters
  /// `.automatic`: derived from the parameters.
  public var body: RequestBody
  /// How the parameters are written.
  public var requestSerializer: RequestSerializer
  /// How the value is made.
  public var responseSerializer: any ResponseSerializer<Response>

  /// Makes a request of any method and any kind of value.
  ///
  /// - Parameters:
  ///   - path: joined to the agent's base; an absolute URL replaces it.
  ///   - method: `GET` by default.
  ///   - parameters: the query of `GET`, `HEAD` and `DELETE`, otherwise the body; empty by default.
  ///   - query: always the query; empty by default.
  ///   - headers: override the agent's; empty by default.
  ///   - body: `.automatic` by default: derived from the parameters.
  ///   - serializer: how the parameters are written; `.form` by default.
  ///   - response: how the value is made, such as `.response` or `.json(keyPath: "data")`.
  public init(
    _ path: String, method: HTTPMethod = .get, parameters: Parameters = [:], query: Parameters = [:],
    headers: HTTPHeaders = [:], body: RequestBody = .automatic, serializer: RequestSerializer = .form,
    response: any ResponseSerializer<Response>
  ) {
    self.path = path
    self.method = method
    self.headers = headers
    self.parameters = parameters
    self.query = query
    self.body = body
    self.requestSerializer = serializer
    self.responseSerializer = response
  }
}

extension OneOffRequest where Response: Decodable {
  /// The serializer that a request of this type would have by default: `Data` and `String` are `Decodable`, but mean
  /// bytes and text.
  static var defaultSerializer: any ResponseSerializer<Response> {
    let plain: [any ResponseSerializer] = [.data, .text]
    return plain.lazy.compactMap { $0 as? any ResponseSerializer<Response> }.first ?? .json()
  }
}

// One-off requests that have no body by themselves. `Self ==` lets them be written with a leading dot.
extension Request {
  /// A `GET` of a path, or of an absolute URL: `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  ///
  /// The parameters go into the query, and so does `query`; `serializer` writes both.
  public static func get<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, parameters: parameters, query: query, headers: headers, serializer: serializer,
      response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `GET` of a path, or of an absolute URL; the body of the response is dropped.
  ///
  /// The parameters go into the query, and so does `query`; `serializer` writes both.
  public static func get(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, parameters: parameters, query: query, headers: headers, serializer: serializer, response: .none)
  }

  /// A `DELETE` of a path, with the parameters in the query: `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  ///
  /// So does `query`, and `serializer` writes both. There is no body but one that is given.
  public static func delete<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `DELETE` of a path, with the parameters in the query; the body of the response is dropped.
  ///
  /// So does `query`, and `serializer` writes both. There is no body but one that is given.
  public static func delete(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// A `HEAD` of a path, for the head of the answer.
  ///
  /// The parameters go into the query, and so does `query`; `serializer` writes both.
  public static func head(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<HTTPResponse> {
    OneOffRequest(
      path, method: .head, parameters: parameters, query: query, headers: headers, serializer: serializer,
      response: .response)
  }
}

// One-off requests with a body.
extension Request {
  /// A `POST` of parameters, or of a body of any kind: `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  public static func post<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `POST` of parameters, or of a body of any kind; the body of the response is dropped.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  public static func post(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// A `PUT` of parameters, or of a body of any kind: `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  public static func put<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `PUT` of parameters, or of a body of any kind; the body of the response is dropped.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  public static func put(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// A `PATCH` of parameters, or of a body of any kind: `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  public static func patch<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .patch, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `PATCH` of parameters, or of a body of any kind; the body of the response is dropped.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  public static func patch(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .patch, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }
}

extension OneOffRequest: PrintedByDescription {
  /// The method and the path; secrets hidden by ``Redaction/standard``, and each ``Secret`` in its parts.
  public var description: String { "\(method) \(redaction.url(text: path))".printed }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": description, "headers": redaction.headers(headers), "parameters": parameters,
        "query": query, "body": body,
      ])
  }

  private var redaction: Redaction { .standard.hidingSecrets(of: self) }
}

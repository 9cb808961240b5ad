/// A request written at the call: `agent.send(.get("users/7", as: User.self))`.
///
/// Static members of ``Request`` create one-off requests. The type after `as:` decides the decoding: bytes
/// for `Data`, text for `String`, JSON for other types. Without `as:`, the response body is ignored.
/// ``Request/with(_:_:)`` changes members that the functions do not offer:
/// `OneOffRequest.get("users").with(\.timeout, .seconds(5))`.
public struct OneOffRequest<Response: Sendable>: Request {
  /// The path or absolute URL; see ``Request/path``.
  public var path: String
  /// The method.
  public var method: HTTPMethod
  /// Header fields, in precedence over the agent's.
  public var headers: HTTPHeaders
  /// Parameters for the query or the body; see ``Request/parameters``.
  public var parameters: Parameters
  /// Parameters sent in the query for every method.
  public var query: Parameters
  /// The body; `.automatic`: derived from the parameters.
  public var body: RequestBody
  /// The encoding of ``parameters`` and ``query``.
  public var requestSerializer: RequestSerializer
  /// The serializer that decodes the response.
  public var responseSerializer: any ResponseSerializer<Response>

  /// Creates a request with any method and any type of value.
  ///
  /// - Parameters:
  ///   - path: The path, joined to the agent's base URL; an absolute URL replaces the base URL.
  ///   - method: The method; `GET` by default.
  ///   - parameters: Sent in the query for `GET`, `HEAD`, `DELETE` or with a `body`; otherwise in the body.
  ///   - query: The query for every method; empty by default.
  ///   - headers: Header fields, in precedence over the agent's; empty by default.
  ///   - body: The body; `.automatic` by default: derived from the parameters.
  ///   - serializer: The encoding of the parameters and the query; `.form` by default.
  ///   - response: The serializer that decodes the response, such as `.response` or `.json(keyPath: "data")`.
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
  static var defaultSerializer: any ResponseSerializer<Response> {
    let plain: [any ResponseSerializer] = [.data, .text]
    return plain.lazy.compactMap { $0 as? any ResponseSerializer<Response> }.first ?? .json()
  }
}

// `Self ==` allows a leading dot in calls.
extension Request {
  /// Creates a `GET` request for a path or an absolute URL, with a response value.
  public static func get<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, parameters: parameters, query: query, headers: headers, serializer: serializer,
      response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `GET` request that ignores the response body.
  public static func get(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, parameters: parameters, query: query, headers: headers, serializer: serializer, response: .none)
  }

  /// Creates a `DELETE` request with a response value; by default without a body.
  public static func delete<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `DELETE` request, by default without a body, that ignores the response body.
  public static func delete(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// Creates a `HEAD` request; the value is the response head.
  public static func head(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<HTTPResponse> {
    OneOffRequest(
      path, method: .head, parameters: parameters, query: query, headers: headers, serializer: serializer,
      response: .response)
  }
}

extension Request {
  /// Creates a `POST` request with a response value.
  ///
  /// `serializer` encodes the parameters as the body. With a `body`, the parameters are sent in the query.
  public static func post<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `POST` request that ignores the response body.
  public static func post(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// Creates a `PUT` request with a response value.
  public static func put<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `PUT` request that ignores the response body.
  public static func put(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// Creates a `PATCH` request with a response value.
  public static func patch<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .patch, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `PATCH` request that ignores the response body.
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
  /// The method and the path, with each ``Secret`` and the secrets of ``Redaction/standard`` hidden.
  public var description: String { "\(method) \(PathSegment.shown(redaction.url(text: path)))".printed }
  /// A redacted mirror, for `dump`.
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

/// A request that needs no type of its own: `agent.send(.get("users/7", as: User.self))`.
///
/// The type after `as:` decides the decoding: bytes for `Data`, text for `String`, JSON for other types. To
/// change other members, use ``Request/with(_:_:)``.
public struct OneOffRequest<Response: Sendable>: Request {
  /// The path or an absolute URL.
  public var path: String
  /// The method.
  public var method: HTTPMethod
  /// Header fields.
  public var headers: HTTPHeaders
  /// Parameters; see ``Request/parameters``.
  public var parameters: Parameters
  /// Parameters for the query.
  public var query: Parameters
  /// The body.
  public var body: RequestBody
  /// The encoding of the parameters.
  public var requestSerializer: RequestSerializer
  /// The decoding of the response.
  public var responseSerializer: any ResponseSerializer<Response>

  /// Creates a request with any method and any response value.
  ///
  /// For `GET`, `HEAD` and `DELETE`, and with a `body` other than `.automatic`, `parameters` are sent in the
  /// query. Otherwise `parameters` are the body. `response` is a serializer, such as `.json()`.
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
  /// Creates a `GET` request with response decoding.
  public static func get<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, parameters: parameters, query: query, headers: headers, serializer: serializer,
      response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `GET` request without response decoding.
  public static func get(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, parameters: parameters, query: query, headers: headers, serializer: serializer, response: .none)
  }

  /// Creates a `DELETE` request with response decoding.
  public static func delete<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `DELETE` request without response decoding.
  public static func delete(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// Creates a `HEAD` request.
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
  /// Creates a `POST` request with response decoding.
  public static func post<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `POST` request without response decoding.
  public static func post(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// Creates a `PUT` request with response decoding.
  public static func put<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `PUT` request without response decoding.
  public static func put(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// Creates a `PATCH` request with response decoding.
  public static func patch<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .patch, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// Creates a `PATCH` request without response decoding.
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
  /// The method and the redacted path.
  public var description: String { "\(method) \(PathSegment.shown(redaction.url(text: path)))".printed }
  /// A redacted mirror.
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

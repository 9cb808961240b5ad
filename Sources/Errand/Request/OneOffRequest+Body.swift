// One-off requests with a body.
extension Request {
  /// A `POST` of parameters, or of a body of any kind.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  /// `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  public static func post<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `POST` of parameters, or of a body of any kind.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  /// The body of the answer is dropped.
  public static func post(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .post, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// A `PUT` of parameters, or of a body of any kind.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  /// `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  public static func put<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `PUT` of parameters, or of a body of any kind.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  /// The body of the answer is dropped.
  public static func put(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .put, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }

  /// A `PATCH` of parameters, or of a body of any kind.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  /// `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  public static func patch<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .patch, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `PATCH` of parameters, or of a body of any kind.
  ///
  /// The parameters are the body, written by `serializer`; a `body` of your own leaves them to the query.
  /// The body of the answer is dropped.
  public static func patch(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .automatic, serializer: RequestSerializer = .form
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .patch, parameters: parameters, query: query, headers: headers, body: body,
      serializer: serializer, response: .none)
  }
}

extension RequestMembers {
  /// Unavailable: use `body:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write body: .json(value), or parameters: with serializer: .json")
  public static func post<Value: Decodable & Sendable, Body: Encodable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], json body: Body, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { post(path, as: type) }

  /// Unavailable: use `body:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write body: .json(value), or parameters: with serializer: .json")
  public static func post<Body: Encodable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], json body: Body
  ) -> Self where Self == OneOffRequest<Void> { post(path) }

  /// Unavailable: use `serializer:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write serializer: in place of encoding:")
  public static func post<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    encoding: RequestSerializer, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { post(path, as: type) }

  /// Unavailable: use `serializer:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write serializer: in place of encoding:")
  public static func post(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    encoding: RequestSerializer
  ) -> Self where Self == OneOffRequest<Void> { post(path) }

  /// Unavailable: use `body:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write body: .json(value), or parameters: with serializer: .json")
  public static func put<Value: Decodable & Sendable, Body: Encodable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], json body: Body, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { put(path, as: type) }

  /// Unavailable: use `body:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write body: .json(value), or parameters: with serializer: .json")
  public static func put<Body: Encodable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], json body: Body
  ) -> Self where Self == OneOffRequest<Void> { put(path) }

  /// Unavailable: use `serializer:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write serializer: in place of encoding:")
  public static func put<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    encoding: RequestSerializer, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { put(path, as: type) }

  /// Unavailable: use `serializer:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write serializer: in place of encoding:")
  public static func put(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    encoding: RequestSerializer
  ) -> Self where Self == OneOffRequest<Void> { put(path) }

  /// Unavailable: use `body:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write body: .json(value), or parameters: with serializer: .json")
  public static func patch<Value: Decodable & Sendable, Body: Encodable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], json body: Body, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { patch(path, as: type) }

  /// Unavailable: use `body:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write body: .json(value), or parameters: with serializer: .json")
  public static func patch<Body: Encodable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], json body: Body
  ) -> Self where Self == OneOffRequest<Void> { patch(path) }

  /// Unavailable: use `serializer:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write serializer: in place of encoding:")
  public static func patch<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    encoding: RequestSerializer, as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { patch(path, as: type) }

  /// Unavailable: use `serializer:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write serializer: in place of encoding:")
  public static func patch(
    _ path: String, parameters: Parameters = [:], query: Parameters = [:], headers: HTTPHeaders = [:],
    encoding: RequestSerializer
  ) -> Self where Self == OneOffRequest<Void> { patch(path) }

  /// Unavailable: use `as:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write as: before the type")
  public static func get<Value: Decodable & Sendable>(_ path: String, _ type: Value.Type) -> Self
  where Self == OneOffRequest<Value> { get(path, as: type) }

  /// Unavailable: use `as:`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write as: before the type")
  public static func post<Value: Decodable & Sendable>(_ path: String, _ type: Value.Type) -> Self
  where Self == OneOffRequest<Value> { post(path, as: type) }

  /// Unavailable: `get` takes no `body:`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a GET has no body: give parameters:, or a body to OneOffRequest(path, body:response:)"
  )
  public static func get<Value: Decodable & Sendable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], body: RequestBody,
    as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> { get(path, as: type) }

  /// Unavailable: `get` takes no `body:`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a GET has no body: give parameters:, or a body to OneOffRequest(path, body:response:)"
  )
  public static func get(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], body: RequestBody
  ) -> Self where Self == OneOffRequest<Void> { get(path) }
}

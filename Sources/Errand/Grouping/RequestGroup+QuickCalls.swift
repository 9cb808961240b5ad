// For a quick call with a wrong argument, such as `.get("users", page: 2)`, the compiler explains the most
// similar overload. Without the members below, the error would be "type 'RequestGroup' has no member 'get'".
extension RequestGroup {
  /// Creates no group; see ``Request/get(_:parameters:query:headers:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func get(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Creates no group; see ``Request/head(_:parameters:query:headers:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func head(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Creates no group; see ``Request/delete(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func delete(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Creates no group; see ``Request/post(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func post(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Creates no group; see ``Request/put(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func put(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Creates no group; see ``Request/patch(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func patch(_ path: Never) -> Self where Self == ChainRequest<Void> {}
}

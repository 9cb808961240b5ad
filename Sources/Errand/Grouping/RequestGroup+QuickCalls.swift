// The compiler explains a wrong argument of a quick call, such as `.get("users", page: 2)`, by the overload that it can mend with the
// smallest change. Without these members that would be the one for groups, and the text "type 'RequestGroup' has no member 'get'".
extension RequestGroup {
  /// No group is made so; see ``Request/get(_:parameters:query:headers:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func get(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// No group is made so; see ``Request/head(_:parameters:query:headers:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func head(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// No group is made so; see ``Request/delete(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func delete(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// No group is made so; see ``Request/post(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func post(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// No group is made so; see ``Request/put(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func put(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// No group is made so; see ``Request/patch(_:parameters:query:headers:body:serializer:)``.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func patch(_ path: Never) -> Self where Self == ChainRequest<Void> {}
}

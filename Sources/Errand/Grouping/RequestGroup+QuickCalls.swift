// These unavailable members only improve compiler errors. Without the members, a quick call with a wrong
// argument, such as `.get("users", page: 2)`, is reported as "type 'RequestGroup' has no member 'get'".
extension RequestGroup {
  /// Unavailable.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func get(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Unavailable.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func head(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Unavailable.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func delete(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Unavailable.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func post(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Unavailable.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func put(_ path: Never) -> Self where Self == ChainRequest<Void> {}

  /// Unavailable.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a quick call is a request, not a group")
  public static func patch(_ path: Never) -> Self where Self == ChainRequest<Void> {}
}

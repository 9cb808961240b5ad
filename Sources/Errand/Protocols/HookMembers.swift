/// Makes the compiler refuse `filterRequest` and `filterResponse` without `inout`.
///
/// A hook without `inout` would compile and never be called, because the requirement has a default.
/// See ``RequestMembers``.
public protocol HookMembers: Sendable {
  /// The type of the first parameter of a `filterRequest` without `inout`.
  associatedtype FilteredRequestMember: RequestValue = Never
  /// The type of the first parameter of a `filterResponse` without `inout`.
  associatedtype FilteredResponseMember: RequestValue = Never

  /// A hook with a missing `inout`; see ``Request/filterRequest(_:context:)``.
  ///
  /// Never called.
  func filterRequest(_ request: FilteredRequestMember, context: RequestContext) async throws
  /// A hook with a missing `inout`; see ``Request/filterResponse(_:context:)``.
  ///
  /// Never called.
  func filterResponse(_ response: FilteredResponseMember, context: RequestContext) async throws
}

extension HookMembers {
  /// Cannot be called.
  public func filterRequest(_ request: Never, context: RequestContext) async throws {}
  /// Cannot be called.
  public func filterResponse(_ response: Never, context: RequestContext) async throws {}
}

/// Makes the compiler refuse `filterRequest` and `filterResponse` without `inout`.
///
/// See ``RequestMembers``.
public protocol HookMembers: Sendable {
  /// The parameter type of a `filterRequest` hook without `inout`.
  associatedtype FilteredRequestMember: RequestValue = Never
  /// The parameter type of a `filterResponse` hook without `inout`.
  associatedtype FilteredResponseMember: RequestValue = Never

  /// A hook without `inout`; not called.
  func filterRequest(_ request: FilteredRequestMember, context: RequestContext) async throws
  /// A hook without `inout`; not called.
  func filterResponse(_ response: FilteredResponseMember, context: RequestContext) async throws
}

extension HookMembers {
  /// Cannot be called.
  public func filterRequest(_ request: Never, context: RequestContext) async throws {}
  /// Cannot be called.
  public func filterResponse(_ response: Never, context: RequestContext) async throws {}
}

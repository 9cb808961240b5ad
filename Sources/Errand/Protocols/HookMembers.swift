/// Makes the compiler refuse a `filterRequest` or `filterResponse` hook without `inout`.
///
/// See ``RequestMembers``.
public protocol HookMembers: Sendable {
  /// The parameter type of a `filterRequest` hook without `inout`.
  associatedtype FilteredRequestMember: RequestValue = Never
  /// The parameter type of a `filterResponse` hook without `inout`.
  associatedtype FilteredResponseMember: RequestValue = Never

  /// For the compiler's check only; Errand does not call the method.
  func filterRequest(_ request: FilteredRequestMember, context: RequestContext) async throws
  /// For the compiler's check only; Errand does not call the method.
  func filterResponse(_ response: FilteredResponseMember, context: RequestContext) async throws
}

extension HookMembers {
  /// Cannot be called, because `Never` has no values.
  public func filterRequest(_ request: Never, context: RequestContext) async throws {}
  /// Cannot be called, because `Never` has no values.
  public func filterResponse(_ response: Never, context: RequestContext) async throws {}
}

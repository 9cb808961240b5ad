/// Lets the compiler refuse `filterRequest` and `filterResponse` without their `inout`, in a ``Request`` and in ``RequestHooks``.
///
/// Such a hook would compile and never be called, because the requirement has a default. See ``RequestMembers``.
public protocol HookMembers: Sendable {
  /// The type of a request that a hook cannot change.
  associatedtype FilteredRequestMember: RequestValue = Never
  /// The type of a response that a hook cannot change.
  associatedtype FilteredResponseMember: RequestValue = Never

  /// A hook whose `inout` is missing; see ``Request/filterRequest(_:context:)``. Never called.
  func filterRequest(_ request: FilteredRequestMember, context: RequestContext) async throws
  /// A hook whose `inout` is missing; see ``Request/filterResponse(_:context:)``. Never called.
  func filterResponse(_ response: FilteredResponseMember, context: RequestContext) async throws
}

extension HookMembers {
  /// Cannot be called.
  public func filterRequest(_ request: Never, context: RequestContext) async throws {}
  /// Cannot be called.
  public func filterResponse(_ response: Never, context: RequestContext) async throws {}
}

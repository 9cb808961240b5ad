/// A request with members changed for one call; made by ``Request/with(_:_:)``.
///
/// Everything that is not overridden, hooks included, is the base's.
public struct OverriddenRequest<Base: Request>: RequestWrapper {
  /// The value of the base.
  public typealias Response = Base.Response

  /// The request as it was written.
  public let base: Base
  /// What is changed.
  public private(set) var overrides: RequestOverrides

  init(base: Base, overrides: RequestOverrides) {
    self.base = base
    self.overrides = overrides
  }

  var wrapped: any Request { (base as? any RequestWrapper)?.wrapped ?? base }

  func overrides<Value>(_ member: KeyPath<RequestOverrides, Value?>) -> Bool {
    overrides[keyPath: member] != nil || (base as? any RequestWrapper)?.overrides(member) ?? false
  }

  /// The same request with one more member changed.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Base> {
    var copy = self
    copy.overrides[keyPath: member] = value
    return copy
  }
}

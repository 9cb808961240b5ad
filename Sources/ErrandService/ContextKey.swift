public import Errand

/// A key for a typed value of a dispatch.
///
/// ```swift
/// enum Tenant: ContextKey {
///   static var defaultValue: String? { nil }
/// }
///
/// struct Tenants: RequestHooks {
///   func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
///     context[Tenant.self] = request.headers["X-Tenant"]
///   }
/// }
///
/// let log = EventAccessory(didStop: { report, context in print(context[Tenant.self] ?? "nobody") })
/// ```
public protocol ContextKey {
  /// The type of the value.
  associatedtype Value: Sendable
  /// The value of a dispatch before the first assignment.
  static var defaultValue: Value { get }
}

extension RequestContext {
  /// The value of the dispatch for a key.
  ///
  /// A hook may write a value. Hooks, validators, serializers and accessories of the same dispatch may read
  /// the value, also in later attempts. A dispatch that a hook starts has separate values. Values are never
  /// sent or printed.
  ///
  /// The values are released after ``/Errand/Accessory/requestDidStop(_:context:)``. A call that only
  /// prepares the request, such as `explain`, releases the values at its end. Afterwards, reading returns the
  /// default value, and an assignment has no effect.
  public subscript<Key: ContextKey>(key: Key.Type) -> Key.Value {
    get {
      guard let value = value(for: ObjectIdentifier(key)) else { return Key.defaultValue }
      return value as? Key.Value ?? Key.defaultValue
    }
    nonmutating set { setValue(newValue, for: ObjectIdentifier(key)) }
  }
}

extension Request {
  /// The same request with one member changed for this call: `GetUser(id: 7).with(\.timeout, .seconds(5))`.
  ///
  /// Calls are chained for more members; the last one for a member wins. Headers are merged over the request's, name by
  /// name; everything else is replaced. The members of ``RequestOverrides`` can be changed; hooks see the request
  /// without the overrides as ``RequestContext/request``. A ``customRequest`` is sent as it is, whatever is overridden.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Self> {
    OverriddenRequest(base: self, overrides: RequestOverrides()).with(member, value)
  }
}

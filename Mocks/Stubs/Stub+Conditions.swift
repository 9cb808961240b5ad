import Errand

/// What else a request must have to be answered; a stub takes any number of these, and all must be met.
extension Stub {
  /// This stub for requests with the query item; further items, also of the same name, are ignored.
  ///
  /// - Parameters:
  ///   - name: the name, decoded.
  ///   - value: the value, decoded; a `+` in a query stands for a blank.
  public func query(_ name: String, _ value: String) -> Stub {
    adding(QueryCondition(name: name, wanted: .equal(value)))
  }

  /// This stub for requests with a query item of that name, whatever its value.
  public func query(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .present)) }

  /// This stub for requests without any query item of that name.
  public func withoutQuery(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .absent)) }

  /// This stub for requests with the header field; others, also of the same name, are ignored.
  ///
  /// - Parameters:
  ///   - name: the name, in any case.
  ///   - value: the whole value of one field, compared exactly.
  public func header(_ name: String, _ value: String) -> Stub {
    adding(HeaderCondition(name: name, wanted: .equal(value)))
  }

  /// This stub for requests with a header field of that name, whatever its value.
  public func header(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .present)) }

  /// This stub for requests without any header field of that name.
  public func withoutHeader(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .absent)) }

  /// This stub for requests whose body is JSON with everything that `json` has.
  ///
  /// An object must have the members of the one here, at any depth, and may have more. Arrays, with the objects in
  /// them, and scalars must be equal; `1` and `1.0` are. The `Content-Type` does not count.
  public func jsonBody(_ json: String) -> Stub { adding(JSONBodyCondition(json)) }

  /// This stub for requests whose body is a form with these fields; further ones are ignored.
  ///
  /// Names and values are decoded; the `Content-Type` does not count.
  public func formBody(_ fields: [String: String]) -> Stub { adding(FormBodyCondition(fields: fields)) }

  /// This stub for requests that a closure accepts.
  ///
  /// - Parameters:
  ///   - words: what is asked, for messages: `"the id is even"`.
  ///   - isMet: judges a request of the right method and place, perhaps more than once and several at a time; on a
  ///     ``MockServer`` on the server's thread.
  public func `where`(
    _ words: String, _ isMet: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Stub {
    adding(ClosureCondition(words: words, isMet: isMet))
  }

  private func adding(_ condition: any StubCondition) -> Stub {
    var copy = self
    copy.conditions.append(condition)
    return copy
  }
}

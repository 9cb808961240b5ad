public import Errand
public import Foundation

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

  /// The same with a value that matches a pattern; one of several items is enough.
  public func query(_ name: String, _ value: TextPattern) -> Stub {
    adding(QueryCondition(name: name, wanted: .matching(value)))
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

  /// The same with a value that matches a pattern; one of several fields is enough.
  public func header(_ name: String, _ value: TextPattern) -> Stub {
    adding(HeaderCondition(name: name, wanted: .matching(value)))
  }

  /// This stub for requests with a header field of that name, whatever its value.
  public func header(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .present)) }

  /// This stub for requests without any header field of that name.
  public func withoutHeader(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .absent)) }

  /// This stub for requests whose value of a variable of its path, such as `{id}`, matches a pattern.
  public func variable(_ name: String, _ value: TextPattern) -> Stub {
    adding(VariableCondition(name: name, wanted: .matching(value)))
  }

  /// The same with one value.
  public func variable(_ name: String, _ value: String) -> Stub { variable(name, .equal(value)) }

  /// This stub for requests with the cookie in their `Cookie` field (RFC 6265 section 4.2); others are ignored.
  ///
  /// Values are hidden in messages, as cookies are mostly credentials; their lengths are told, and where they differ.
  public func cookie(_ name: String, _ value: TextPattern = .any) -> Stub {
    adding(CookieCondition(name: name, wanted: .matching(value)))
  }

  /// The same with one value.
  public func cookie(_ name: String, _ value: String) -> Stub { cookie(name, .equal(value)) }

  /// This stub for requests without any cookie of that name.
  public func withoutCookie(_ name: String) -> Stub {
    adding(CookieCondition(name: name, wanted: .absent))
  }

  /// This stub for requests whose body, read as UTF-8, matches a pattern; an empty one is an empty text.
  public func body(_ text: TextPattern) -> Stub { adding(TextBodyCondition(wanted: text)) }

  /// This stub for requests whose body, read as UTF-8, is this text.
  public func body(_ text: String) -> Stub { body(.equal(text)) }

  /// This stub for requests whose body is exactly these bytes.
  public func body(_ data: Data) -> Stub { adding(DataBodyCondition(data: data)) }

  /// This stub for requests whose body is JSON with everything that `json` has.
  ///
  /// An object must have the members of the one here, at any depth, and may have more. Arrays, with the objects in
  /// them, and scalars must be equal; `1` and `1.0` are. The `Content-Type` does not count.
  ///
  /// - Parameters:
  ///   - json: the text of it; malformed one matches nothing, and messages say so.
  ///   - ignoringOrder: whether arrays, at any depth, have the same elements in any order; `false` by default.
  public func jsonBody(_ json: String, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: false, ignoringOrder: ignoringOrder))
  }

  /// The same with JSON as a literal: `.jsonBody(["name": "Ada"])`; text is JSON that is written, and no string.
  public func jsonBody(_ json: JSONValue, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: false, ignoringOrder: ignoringOrder))
  }

  /// This stub for requests whose body is exactly this JSON: its objects have no other members.
  ///
  /// The order of members and blanks do not count, nor does the `Content-Type`.
  ///
  /// - Parameters:
  ///   - json: the text of it; malformed one matches nothing, and messages say so.
  ///   - ignoringOrder: whether arrays, at any depth, have the same elements in any order; `false` by default.
  public func exactJSONBody(_ json: String, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: true, ignoringOrder: ignoringOrder))
  }

  /// The same with JSON as a literal: `.exactJSONBody(["name": "Ada"])`; text is JSON that is written, and no string.
  public func exactJSONBody(_ json: JSONValue, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: true, ignoringOrder: ignoringOrder))
  }

  /// This stub for requests whose body is a form with these fields; further ones are ignored.
  ///
  ///     Stub(.post, "/items").formBody(["name": "lamp", "tag": "new", "tag": "sale"])
  ///
  /// Names and values are decoded. A name that stands here more than once asks for as many fields of it, in any order. A form of
  /// parts counts too; of any other body the `Content-Type` does not count.
  public func formBody(_ fields: KeyValuePairs<String, String>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: .equal($0.value)) }))
  }

  /// The same with values that match patterns.
  public func formBody(_ fields: KeyValuePairs<String, TextPattern>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: $0.value) }))
  }

  /// This stub for requests whose body is a form of parts with this file; other parts, also of the same name, are ignored.
  ///
  ///     Stub(.post, "/avatars", answers: .status(201)).file("avatar", filename: "me.jpg", type: .jpeg)
  ///
  /// - Parameters:
  ///   - name: the name of the field.
  ///   - filename: the name of the file; `nil`, the default, for any.
  ///   - type: its `Content-Type`, as it is written; `nil`, the default, for any.
  ///   - data: its bytes; `nil`, the default, for any.
  public func file(
    _ name: String, filename: String? = nil, type: MIMEType? = nil, data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(
        isFile: true, name: name, filename: filename.map(TextPattern.equal),
        type: type.map { .equal($0.rawValue) }, text: nil, data: data))
  }

  /// This stub for requests whose body is a form of parts with this one, a field or a file; others are ignored.
  ///
  /// - Parameters:
  ///   - name: the name of the field.
  ///   - text: its text in UTF-8; `nil`, the default, for any.
  ///   - filename: the name of the file; `nil`, the default, for any, also none.
  ///   - type: its `Content-Type`, as it is written; `nil`, the default, for any.
  ///   - data: its bytes; `nil`, the default, for any.
  public func part(
    _ name: String, text: TextPattern? = nil, filename: TextPattern? = nil, type: TextPattern? = nil,
    data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(isFile: false, name: name, filename: filename, type: type, text: text, data: data))
  }

  /// The same of a part with one text.
  public func part(
    _ name: String, text: String, filename: TextPattern? = nil, type: TextPattern? = nil, data: Data? = nil
  ) -> Stub {
    part(name, text: TextPattern.equal(text), filename: filename, type: type, data: data)
  }

  /// This stub for requests that a closure accepts.
  ///
  /// - Parameters:
  ///   - words: what is asked, for messages: `"the id is even"`.
  ///   - isMet: judges a request of the right method and place, perhaps more than once and several at a time; on a
  ///     ``MockServer`` on the server's thread.
  public func `where`(
    _ words: String, isMet: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Stub {
    adding(ClosureCondition { isMet($0) ? nil : "not so: \(words)" })
  }

  /// This stub for requests with which a closure finds nothing wrong.
  ///
  ///     Stub(.post, "/photos").where { $0.body.count > 10 ? nil : "the photo has \($0.body.count) bytes" }
  ///
  /// - Parameter difference: says what is wrong with a request of the right method and place, `nil` when nothing is;
  ///   called perhaps more than once and several at a time; on a ``MockServer`` on the server's thread.
  public func `where`(_ difference: @escaping @Sendable (_ request: ReceivedRequest) -> String?) -> Stub {
    adding(ClosureCondition(difference: difference))
  }

  private func adding(_ condition: any StubCondition) -> Stub {
    changed { $0.conditions.append(condition) }
  }
}

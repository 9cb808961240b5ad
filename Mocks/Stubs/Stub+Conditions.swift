public import Errand
public import Foundation

extension Stub {
  /// Returns the stub, limited to requests with a query item; further items are ignored.
  ///
  /// - Parameters:
  ///   - name: the decoded name.
  ///   - value: the decoded value. A `+` in a query means a space.
  public func query(_ name: String, _ value: String) -> Stub {
    adding(QueryCondition(name: name, wanted: .equal(value)))
  }

  /// Returns the stub, limited to requests with at least one query item that matches a pattern.
  public func query(_ name: String, _ value: TextPattern) -> Stub {
    adding(QueryCondition(name: name, wanted: .matching(value)))
  }

  /// Returns the stub, limited to requests with a query item of any value.
  public func query(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .present)) }

  /// Returns the stub, limited to requests without a query item of the name.
  public func withoutQuery(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .absent)) }

  /// Returns the stub, limited to requests with a header field; further fields are ignored.
  ///
  /// - Parameters:
  ///   - name: the name, in any case.
  ///   - value: the whole value of a field, compared exactly.
  public func header(_ name: String, _ value: String) -> Stub {
    adding(HeaderCondition(name: name, wanted: .equal(value)))
  }

  /// Returns the stub, limited to requests with at least one header field that matches a pattern.
  public func header(_ name: String, _ value: TextPattern) -> Stub {
    adding(HeaderCondition(name: name, wanted: .matching(value)))
  }

  /// Returns the stub, limited to requests with a header field of any value.
  public func header(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .present)) }

  /// Returns the stub, limited to requests without a header field of the name.
  public func withoutHeader(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .absent)) }

  /// Returns the stub, limited to requests with a path variable, such as `{id}`, that matches a pattern.
  public func variable(_ name: String, _ value: TextPattern) -> Stub {
    adding(VariableCondition(name: name, wanted: .matching(value)))
  }

  /// Returns the stub, limited to requests with an exact value of a path variable.
  public func variable(_ name: String, _ value: String) -> Stub { variable(name, .equal(value)) }

  /// Returns the stub, limited to requests with a cookie in the `Cookie` field (RFC 6265 section 4.2).
  ///
  /// Further cookies are ignored. Messages hide the value of a cookie, because most cookies are secrets.
  public func cookie(_ name: String, _ value: TextPattern = .any) -> Stub {
    adding(CookieCondition(name: name, wanted: .matching(value)))
  }

  /// Returns the stub, limited to requests with an exact value of a cookie.
  public func cookie(_ name: String, _ value: String) -> Stub { cookie(name, .equal(value)) }

  /// Returns the stub, limited to requests without a cookie of the name.
  public func withoutCookie(_ name: String) -> Stub {
    adding(CookieCondition(name: name, wanted: .absent))
  }

  /// Returns the stub, limited to requests with a body text in UTF-8 that matches a pattern.
  public func body(_ text: TextPattern) -> Stub { adding(TextBodyCondition(wanted: text)) }

  /// Returns the stub, limited to requests with an exact body text in UTF-8.
  public func body(_ text: String) -> Stub { body(.equal(text)) }

  /// Returns the stub, limited to requests with an exact body.
  public func body(_ data: Data) -> Stub { adding(DataBodyCondition(data: data)) }

  /// Returns the stub, limited to requests with a JSON body that contains `json`.
  ///
  /// An object of the body may have further members, except inside an array. Arrays and scalars must be
  /// equal. `1` equals `1.0`. The `Content-Type` is ignored.
  ///
  /// - Parameters:
  ///   - json: the JSON text. Malformed text matches no request, and messages give the reason.
  ///   - ignoringOrder: true if all arrays may have the same elements in any order; `false` by default.
  public func jsonBody(_ json: String, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: false, ignoringOrder: ignoringOrder))
  }

  /// Returns the stub, limited to requests with a JSON body that contains a `JSONValue`.
  ///
  ///     Stub(.post, "/users").jsonBody(["name": "Ada"])
  ///
  /// A string literal means JSON text, not a JSON string.
  public func jsonBody(_ json: JSONValue, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: false, ignoringOrder: ignoringOrder))
  }

  /// Returns the stub, limited to requests with an equal JSON body.
  ///
  /// Whitespace, the order of members and the `Content-Type` do not matter.
  public func exactJSONBody(_ json: String, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: true, ignoringOrder: ignoringOrder))
  }

  /// Returns the stub, limited to requests with a JSON body equal to a `JSONValue`.
  ///
  ///     Stub(.post, "/users").exactJSONBody(["name": "Ada"])
  ///
  /// A string literal means JSON text, not a JSON string.
  public func exactJSONBody(_ json: JSONValue, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: true, ignoringOrder: ignoringOrder))
  }

  /// Returns the stub, limited to requests with fields of a form; further fields are ignored.
  ///
  ///     Stub(.post, "/items").formBody(["name": "lamp", "tag": "new", "tag": "sale"])
  ///
  /// Names and values are decoded. A name given twice requires two fields of the name, in any order. A body
  /// without a multipart form is read as a URL-encoded form.
  public func formBody(_ fields: KeyValuePairs<String, String>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: .equal($0.value)) }))
  }

  /// Returns the stub, limited to requests with fields of a form that match patterns.
  public func formBody(_ fields: KeyValuePairs<String, TextPattern>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: $0.value) }))
  }

  /// Returns the stub, limited to requests with a file in a multipart form; further parts are ignored.
  ///
  ///     Stub(.post, "/avatars", answers: .status(201)).file("avatar", filename: "me.jpg", type: .jpeg)
  ///
  /// - Parameters:
  ///   - name: the name of the field.
  ///   - filename: the name of the file; `nil`, the default, for any name.
  ///   - type: the `Content-Type` of the part as written; `nil`, the default, for any type.
  ///   - data: the bytes of the file; `nil`, the default, for any bytes.
  public func file(
    _ name: String, filename: String? = nil, type: MIMEType? = nil, data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(
        isFile: true, name: name, filename: filename.map(TextPattern.equal),
        type: type.map { .equal($0.rawValue) }, text: nil, data: data))
  }

  /// Returns the stub, limited to requests with a field or a file in a multipart form; further parts are
  /// ignored.
  ///
  /// - Parameters:
  ///   - name: the name of the field.
  ///   - text: the text of the part in UTF-8; `nil`, the default, for any text.
  ///   - filename: the name of the file; `nil`, the default, for any name or no name.
  ///   - type: the `Content-Type` of the part as written; `nil`, the default, for any type.
  ///   - data: the bytes of the part; `nil`, the default, for any bytes.
  public func part(
    _ name: String, text: TextPattern? = nil, filename: TextPattern? = nil, type: TextPattern? = nil,
    data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(isFile: false, name: name, filename: filename, type: type, text: text, data: data))
  }

  /// Returns the stub, limited to requests with an exact text as a part of a multipart form.
  public func part(
    _ name: String, text: String, filename: TextPattern? = nil, type: TextPattern? = nil, data: Data? = nil
  ) -> Stub {
    part(name, text: TextPattern.equal(text), filename: filename, type: type, data: data)
  }

  /// Returns the stub, limited to requests accepted by a closure.
  ///
  /// - Parameters:
  ///   - words: the condition for messages, such as `"the id is even"`.
  ///   - isMet: returns true if the request meets the condition. May run more than once and concurrently,
  ///     also for requests with a different method or URL. A ``MockServer`` calls the closure on the server's
  ///     thread.
  public func `where`(
    _ words: String, isMet: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Stub {
    adding(ClosureCondition { isMet($0) ? nil : "condition not met: \(words)" })
  }

  /// Returns the stub, limited to requests accepted by a closure with reasons.
  ///
  ///     Stub(.post, "/photos").where { $0.body.count > 10 ? nil : "the photo has \($0.body.count) bytes" }
  ///
  /// - Parameter difference: returns the reason why a request does not match, or `nil`. The mock calls the
  ///   closure as in `where(_:isMet:)`.
  public func `where`(_ difference: @escaping @Sendable (_ request: ReceivedRequest) -> String?) -> Stub {
    adding(ClosureCondition(difference: difference))
  }

  private func adding(_ condition: any StubCondition) -> Stub {
    changed { $0.conditions.append(condition) }
  }
}

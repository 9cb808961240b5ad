public import Errand
public import Foundation

extension Stub {
  /// Returns the stub, limited to requests with a query item.
  ///
  /// - Parameters:
  ///   - name: the decoded name.
  ///   - value: the decoded value. A `+` in a query means a space.
  public func query(_ name: String, _ value: String) -> Stub {
    adding(QueryCondition(name: name, wanted: .equal(value)))
  }

  /// Returns the stub, limited to requests with a query item that matches a pattern.
  public func query(_ name: String, _ value: TextPattern) -> Stub {
    adding(QueryCondition(name: name, wanted: .matching(value)))
  }

  /// Returns the stub, limited to requests with a query item of any value.
  public func query(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .present)) }

  /// Returns the stub, limited to requests without a query item of the name.
  public func withoutQuery(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .absent)) }

  /// Returns the stub, limited to requests with a header field of this exact value.
  public func header(_ name: String, _ value: String) -> Stub {
    adding(HeaderCondition(name: name, wanted: .equal(value)))
  }

  /// Returns the stub, limited to requests with a header field that matches a pattern.
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
  /// Messages hide the value of the cookie.
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
  /// Objects may have further members, except inside arrays. `1` equals `1.0`. The `Content-Type` is ignored.
  ///
  /// - Parameters:
  ///   - json: the JSON text.
  ///   - ignoringOrder: true if arrays may have any order; `false` by default.
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

  /// Returns the stub, limited to requests with fields of a URL-encoded or multipart form.
  ///
  ///     Stub(.post, "/items").formBody(["name": "lamp", "tag": "new", "tag": "sale"])
  ///
  /// Names and values are decoded. A name given twice requires two fields, in any order.
  public func formBody(_ fields: KeyValuePairs<String, String>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: .equal($0.value)) }))
  }

  /// Returns the stub, limited to requests with fields of a form that match patterns.
  public func formBody(_ fields: KeyValuePairs<String, TextPattern>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: $0.value) }))
  }

  /// Returns the stub, limited to requests with a file in a multipart form.
  ///
  ///     Stub(.post, "/avatars", answers: .status(201)).file("avatar", filename: "me.jpg", type: .jpeg)
  ///
  /// A parameter of `nil` accepts any value.
  public func file(
    _ name: String, filename: String? = nil, type: MIMEType? = nil, data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(
        isFile: true, name: name, filename: filename.map(TextPattern.equal),
        type: type.map { .equal($0.rawValue) }, text: nil, data: data))
  }

  /// Returns the stub, limited to requests with a field or a file in a multipart form.
  ///
  /// A parameter of `nil` accepts any value. `text` is the text of the part in UTF-8.
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
  ///   - isMet: returns true if the request meets the condition; may run more than once and concurrently.
  public func `where`(
    _ words: String, isMet: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Stub {
    adding(ClosureCondition { isMet($0) ? nil : "condition not met: \(words)" })
  }

  /// Returns the stub, limited to requests accepted by a closure with reasons.
  ///
  ///     Stub(.post, "/photos").where { $0.body.count > 10 ? nil : "the photo has \($0.body.count) bytes" }
  ///
  /// The closure returns the reason why a request does not match, or `nil`.
  public func `where`(_ difference: @escaping @Sendable (_ request: ReceivedRequest) -> String?) -> Stub {
    adding(ClosureCondition(difference: difference))
  }

  private func adding(_ condition: any StubCondition) -> Stub {
    changed { $0.conditions.append(condition) }
  }
}

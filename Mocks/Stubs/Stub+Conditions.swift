public import Errand
public import Foundation

extension Stub {
  /// Requires a query item whose decoded value is exactly `value`; `+` in the request's query means a space.
  public func query(_ name: String, _ value: String) -> Stub {
    adding(QueryCondition(name: name, wanted: .equal(value)))
  }

  /// Requires a query item whose decoded value matches a pattern.
  public func query(_ name: String, _ value: TextPattern) -> Stub {
    adding(QueryCondition(name: name, wanted: .matching(value)))
  }

  /// Requires the presence of a query item.
  public func query(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .present)) }

  /// Requires the absence of a query item.
  public func withoutQuery(_ name: String) -> Stub { adding(QueryCondition(name: name, wanted: .absent)) }

  /// Requires a header field with exactly the given value.
  public func header(_ name: String, _ value: String) -> Stub {
    adding(HeaderCondition(name: name, wanted: .equal(value)))
  }

  /// Requires a header field whose value matches a pattern.
  public func header(_ name: String, _ value: TextPattern) -> Stub {
    adding(HeaderCondition(name: name, wanted: .matching(value)))
  }

  /// Requires the presence of a header field.
  public func header(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .present)) }

  /// Requires the absence of a header field.
  public func withoutHeader(_ name: String) -> Stub { adding(HeaderCondition(name: name, wanted: .absent)) }

  /// Requires a path variable, such as `{id}`, whose value matches a pattern.
  public func variable(_ name: String, _ value: TextPattern) -> Stub {
    adding(VariableCondition(name: name, wanted: .matching(value)))
  }

  /// Requires a path variable with exactly the given value.
  public func variable(_ name: String, _ value: String) -> Stub { variable(name, .equal(value)) }

  /// Requires a cookie (RFC 6265 section 4.2) whose value matches a pattern; messages hide the value.
  public func cookie(_ name: String, _ value: TextPattern = .any) -> Stub {
    adding(CookieCondition(name: name, wanted: .matching(value)))
  }

  /// Requires a cookie with exactly the given value.
  public func cookie(_ name: String, _ value: String) -> Stub { cookie(name, .equal(value)) }

  /// Requires the absence of a cookie.
  public func withoutCookie(_ name: String) -> Stub {
    adding(CookieCondition(name: name, wanted: .absent))
  }

  /// Requires a body whose UTF-8 text matches a pattern; invalid bytes become U+FFFD.
  public func body(_ text: TextPattern) -> Stub { adding(TextBodyCondition(wanted: text)) }

  /// Requires a body whose UTF-8 text is exactly `text`.
  public func body(_ text: String) -> Stub { body(.equal(text)) }

  /// Requires a body of exactly the given bytes.
  public func body(_ data: Data) -> Stub { adding(DataBodyCondition(data: data)) }

  /// Requires a JSON body that contains `json`.
  ///
  /// Objects may have further members, except objects inside arrays. `1` equals `1.0`. The `Content-Type` is
  /// ignored. With `ignoringOrder`, array elements may be in any order.
  public func jsonBody(_ json: String, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: false, ignoringOrder: ignoringOrder))
  }

  /// Requires a JSON body that contains a `JSONValue`, such as `["name": "Ada"]`.
  ///
  /// A string literal means JSON text, not a JSON string.
  public func jsonBody(_ json: JSONValue, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: false, ignoringOrder: ignoringOrder))
  }

  /// Requires a JSON body equal to `json`.
  public func exactJSONBody(_ json: String, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: true, ignoringOrder: ignoringOrder))
  }

  /// Requires a JSON body equal to a `JSONValue`, such as `["name": "Ada"]`.
  public func exactJSONBody(_ json: JSONValue, ignoringOrder: Bool = false) -> Stub {
    adding(JSONBodyCondition(json, isWhole: true, ignoringOrder: ignoringOrder))
  }

  /// Requires fields of a URL-encoded or multipart form, such as `["name": "lamp", "tag": "new"]`.
  ///
  /// URL-encoded names and values are decoded. A name given twice requires two fields with this name, in any
  /// order.
  public func formBody(_ fields: KeyValuePairs<String, String>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: .equal($0.value)) }))
  }

  /// Requires form fields whose values match patterns.
  public func formBody(_ fields: KeyValuePairs<String, TextPattern>) -> Stub {
    adding(FormBodyCondition(fields: fields.map { (name: $0.key, wanted: $0.value) }))
  }

  /// Requires a file in a multipart form; a parameter of `nil` is not compared.
  ///
  ///     Stub(.post, "/avatars", answers: .status(201)).file("avatar", filename: "me.jpg", type: .jpeg)
  public func file(
    _ name: String, filename: String? = nil, type: MIMEType? = nil, data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(
        isFile: true, name: name, filename: filename.map(TextPattern.equal),
        type: type.map { .equal($0.rawValue) }, text: nil, data: data))
  }

  /// Requires a field or a file in a multipart form; a parameter of `nil` is not compared.
  public func part(
    _ name: String, text: TextPattern? = nil, filename: TextPattern? = nil, type: TextPattern? = nil,
    data: Data? = nil
  ) -> Stub {
    adding(
      PartCondition(isFile: false, name: name, filename: filename, type: type, text: text, data: data))
  }

  /// Requires a field or a file with exactly the given text in a multipart form.
  public func part(
    _ name: String, text: String, filename: TextPattern? = nil, type: TextPattern? = nil, data: Data? = nil
  ) -> Stub {
    part(name, text: TextPattern.equal(text), filename: filename, type: type, data: data)
  }

  /// Requires that a closure accepts the request.
  ///
  /// `words` describes the condition in messages, after `condition not met:`. The closure may run more than
  /// once and concurrently.
  public func `where`(
    _ words: String, isMet: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Stub {
    adding(ClosureCondition { isMet($0) ? nil : "condition not met: \(words)" })
  }

  /// Requires that a closure returns `nil`; a returned text is the reason why a request does not match.
  ///
  ///     Stub(.post, "/photos").where { $0.body.count > 10 ? nil : "the photo has \($0.body.count) bytes" }
  public func `where`(_ difference: @escaping @Sendable (_ request: ReceivedRequest) -> String?) -> Stub {
    adding(ClosureCondition(difference: difference))
  }

  private func adding(_ condition: any StubCondition) -> Stub {
    changed { $0.conditions.append(condition) }
  }
}

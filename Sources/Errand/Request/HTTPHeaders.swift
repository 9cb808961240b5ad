/// Header fields in the order they were written, duplicates kept; names compare case-insensitively.
///
/// Names and values are checked when a request is dispatched: a name that is not a token, or a value with CR, LF or
/// NUL, is refused with ``RequestError/Kind/invalidRequest`` before anything is sent (RFC 9110 section 5.5).
/// Printing headers hides secrets; see ``Redaction``.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// One line of a head.
  public struct Field: Sendable {
    /// The name as it was written.
    public var name: String
    /// The value, without the blanks around it.
    public var value: String

    /// Makes a field; nothing is checked before dispatch.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields, in order.
  public var fields: [Field] = []

  /// Makes empty headers.
  public init() {}

  /// Makes headers of fields, in that order.
  public init(_ fields: [Field]) { self.fields = fields }

  /// Makes headers of a literal; a name written twice stays twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    if !elements.isEmpty { fields = elements.map { Field(name: $0.0, value: $0.1) } }
  }

  /// The values of a name joined with `", "` (RFC 9110 section 5.3), or `nil` when it is absent.
  ///
  /// Setting replaces every field of that name by one, in the place of the first; `nil` removes them. `Set-Cookie`
  /// cannot be joined: read it with ``values(for:)``.
  public subscript(name: String) -> String? {
    get {
      var found: String?
      for field in fields where Self.same(field.name, name) {
        found = found.map { "\($0), \(field.value)" } ?? field.value
      }
      return found
    }
    set { set(name, to: newValue) }
  }

  /// Every value of a name, in order.
  public func values(for name: String) -> [String] {
    fields.lazy.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Whether a field of that name is there, even with an empty value.
  public func contains(_ name: String) -> Bool { fields.contains { Self.same($0.name, name) } }

  /// Adds a field at the end and keeps those of the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Takes over `other`: each of its names replaces the fields of that name here.
  public mutating func merge(_ other: HTTPHeaders) {
    guard !other.fields.isEmpty else { return }
    guard !fields.isEmpty else {
      fields = other.fields
      return
    }
    fields.removeAll { other.contains($0.name) }
    fields.append(contentsOf: other.fields)
  }

  /// These headers with `other` merged in; see ``merge(_:)``.
  public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
    var merged = self
    merged.merge(other)
    return merged
  }

  private mutating func set(_ name: String, to value: String?) {
    guard let first = fields.firstIndex(where: { Self.same($0.name, name) }) else {
      if let value { add(name, value) }
      return
    }
    var kept = Array(fields[..<first])
    if let value { kept.append(Field(name: name, value: value)) }
    kept.append(contentsOf: fields[(first + 1)...].lazy.filter { !Self.same($0.name, name) })
    fields = kept
  }
}

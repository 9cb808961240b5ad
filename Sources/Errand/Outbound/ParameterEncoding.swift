/// How parameters become a query or a form: `a%5B%5D=1&page=2`.
///
/// Everything but RFC 3986's unreserved characters, `/` and `?` is percent-encoded in UTF-8, brackets and spaces too
/// (`%20`, never `+`). Nested keys are written `a[b][c]`. Null is its key without `=`. An empty list or object is
/// left out. The output is the same every time.
public struct ParameterEncoding: Sendable, Hashable {
  /// How the elements of a list are written.
  ///
  /// An element that is an object or a list itself is written with its index in every style, `a[0][b]=1`, which PHP,
  /// Node's qs, ASP.NET and Spring read; `a[][b]=1` would mean one object per key to some of them.
  public enum ArrayStyle: Sendable, Hashable, CaseIterable {
    /// `a[]=1&a[]=2`.
    case brackets
    /// `a=1&a=2`.
    case repeated
    /// `a=1,2`: elements are percent-encoded, then joined; null is an empty element. A list with an object or a
    /// list in it is written with ``brackets``.
    case comma
  }

  /// In which order keys are written, on every level.
  public enum Order: Sendable, Hashable, CaseIterable {
    /// As they stand in the parameters.
    case written
    /// Sorted by key; the elements of a list keep their order.
    case sorted
  }

  /// How truth values are written.
  public enum BoolStyle: Sendable, Hashable, CaseIterable {
    /// `true` and `false`.
    case words
    /// `1` and `0`.
    case digits
  }

  /// How the elements of a list are written; `.brackets` by default.
  public var arrays: ArrayStyle
  /// In which order keys are written; `.written` by default.
  public var order: Order
  /// How truth values are written; `.words` by default.
  public var bools: BoolStyle

  /// Makes an encoding.
  public init(arrays: ArrayStyle = .brackets, order: Order = .written, bools: BoolStyle = .words) {
    self.arrays = arrays
    self.order = order
    self.bools = bools
  }

  /// Writes parameters; empty ones give an empty string.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for a number that is infinite or not a number, and
  /// for nesting deeper than 512 levels.
  public func encode(_ parameters: Parameters) throws(Refusal) -> String {
    var writer = FormWriter(encoding: self)
    try writer.write(parameters)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

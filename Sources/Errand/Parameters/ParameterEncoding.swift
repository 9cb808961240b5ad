public import Foundation

/// How parameters become a query or a form: `a%5B%5D=1&page=2`.
///
/// Everything but RFC 3986's unreserved characters, `/` and `?` is percent-encoded in UTF-8, brackets too. As it stands, spaces are
/// `%20`, nested keys are written `a[b][c]`, null is its key without `=`, dates are RFC 3339 text in UTC, bytes are base64, and a key
/// that is there twice is written twice. An empty list or object is left out, but for a case that an enum without a
/// raw type has encoded as one, which is refused. The output is the same every time.
///
/// ```swift
/// let likeBrowsers = ParameterEncoding(nulls: .empty, spaces: .plus)
/// let search = OneOffRequest<Data>("search", parameters: ["q": "a b"], serializer: .form(likeBrowsers))
/// ```
///
/// In JSON, dates and bytes are written as ``RequestSerializer/json`` says, and nothing of this counts.
public struct ParameterEncoding: Sendable, Hashable {
  /// How the elements of a list are written.
  ///
  /// An element that is an object or a list itself is written with its index in every style, `a[0][b]=1`, which PHP,
  /// Node's qs, ASP.NET and Spring read; `a[][b]=1` would mean one object per key to some of them.
  public enum ArrayStyle: Sendable, Hashable, CaseIterable {
    /// `a[]=1&a[]=2`, as PHP and Rails read it.
    case brackets
    /// `a=1&a=2`, as Django, Spring and Go read it.
    case repeated
    /// `a[0]=1&a[1]=2`, as ASP.NET reads it, and PHP too.
    case indexed
    /// `a=1,2`: elements are percent-encoded, then joined; null is an empty element. A list with an object or a
    /// list in it is written with ``brackets``.
    case comma
  }

  /// In which order keys are written, on every level.
  public enum Order: Sendable, Hashable, CaseIterable {
    /// As they stand in the parameters.
    case written
    /// Sorted by key; the elements of a list, and the values of a key that is there twice, keep their order.
    case sorted
  }

  /// How truth values are written.
  public enum BoolStyle: Sendable, Hashable, CaseIterable {
    /// `true` and `false`.
    case words
    /// `1` and `0`.
    case digits
  }

  /// How null is written: `.null`, and `nil` in a list.
  public enum NullStyle: Sendable, Hashable, CaseIterable {
    /// `a`, the key alone; in a form of parts an empty value.
    case keyOnly
    /// `a=`, an empty value.
    case empty
    /// `a=null`.
    case word
    /// Not at all; a list is shorter then, and indices count what is left out.
    case omitted
  }

  /// How a space is written.
  public enum SpaceStyle: Sendable, Hashable, CaseIterable {
    /// `%20`, which every server reads.
    case percent
    /// `+`, as browsers send forms; a plus is `%2B` in either style.
    case plus
  }

  /// How the key of a value within an object is written.
  public enum NestingStyle: Sendable, Hashable, CaseIterable {
    /// `a[b]=1`, as PHP, Rails and Node's qs read it.
    case brackets
    /// `a.b=1`, as Spring and ASP.NET read it; a dot that is part of a key is written as it is. Lists keep their brackets, `a[0].b=1`.
    case dots
  }

  /// How dates are written.
  public struct DateStyle: Sendable, Hashable {
    enum Storage: Hashable {
      case iso8601, secondsSince1970, millisecondsSince1970
      case custom(TextMaker<Date>)
    }

    let storage: Storage

    /// RFC 3339 in UTC and whole seconds, `2026-11-21T10:00:00Z`.
    ///
    /// Early dates are of the Gregorian calendar too. A date outside the years 0 to 9999, which it has no text for, is refused.
    public static let iso8601 = DateStyle(storage: .iso8601)
    /// Seconds since 1970, with a fraction where there is one.
    public static let secondsSince1970 = DateStyle(storage: .secondsSince1970)
    /// Milliseconds since 1970, with a fraction where there is one.
    public static let millisecondsSince1970 = DateStyle(storage: .millisecondsSince1970)
    /// The text that the closure makes, which is equal to itself alone; what it throws is the cause of the refusal.
    public static func custom(_ text: @escaping @Sendable (Date) throws -> String) -> DateStyle {
      DateStyle(storage: .custom(TextMaker(text)))
    }
  }

  /// How bytes are written.
  public struct DataStyle: Sendable, Hashable {
    enum Storage: Hashable {
      case base64, base64URL
      case custom(TextMaker<Data>)
    }

    let storage: Storage

    /// Base64 (RFC 4648 section 4).
    public static let base64 = DataStyle(storage: .base64)
    /// Base64 for URLs, with `-` and `_` and without padding (RFC 4648 section 5).
    public static let base64URL = DataStyle(storage: .base64URL)
    /// The text that the closure makes, which is equal to itself alone; what it throws is the cause of the refusal.
    public static func custom(_ text: @escaping @Sendable (Data) throws -> String) -> DataStyle {
      DataStyle(storage: .custom(TextMaker(text)))
    }
  }

  /// A closure that makes text; equal to itself alone.
  final class TextMaker<Value>: Sendable, Hashable {
    let text: @Sendable (Value) throws -> String

    init(_ text: @escaping @Sendable (Value) throws -> String) { self.text = text }

    static func == (a: TextMaker, b: TextMaker) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// How the elements of a list are written; `.brackets` by default.
  public var arrays: ArrayStyle
  /// In which order keys are written; `.written` by default.
  public var order: Order
  /// How truth values are written; `.words` by default.
  public var bools: BoolStyle
  /// How null is written; `.keyOnly` by default.
  public var nulls: NullStyle
  /// How a space is written; `.percent` by default.
  public var spaces: SpaceStyle
  /// How the key of a value within an object is written; `.brackets` by default.
  public var nesting: NestingStyle
  /// How dates are written; `.iso8601` by default, as it is what people and servers can both read.
  public var dates: DateStyle
  /// How bytes are written; `.base64` by default.
  public var data: DataStyle

  /// Makes an encoding.
  public init(
    arrays: ArrayStyle = .brackets, order: Order = .written, bools: BoolStyle = .words,
    nulls: NullStyle = .keyOnly, spaces: SpaceStyle = .percent, nesting: NestingStyle = .brackets,
    dates: DateStyle = .iso8601, data: DataStyle = .base64
  ) {
    (self.arrays, self.order, self.bools) = (arrays, order, bools)
    (self.nulls, self.spaces, self.nesting) = (nulls, spaces, nesting)
    (self.dates, self.data) = (dates, data)
  }

  /// Writes parameters; empty ones give an empty string.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for a number that is infinite or not a number, for a date that has no
  /// text, for a file, for a case of an enum that only JSON has a text for, and for nesting deeper than 512 levels, or than the stack of
  /// the thread has room for.
  public func encode(_ parameters: Parameters) throws(Refusal) -> String {
    var writer = FormWriter(encoding: self)
    try writer.write(parameters)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

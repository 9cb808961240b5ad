public import Foundation

/// How parameters become a query or a form: `a%5B%5D=1&page=2`.
///
/// Everything but RFC 3986's unreserved characters, `/` and `?` is percent-encoded in UTF-8, brackets too. As it stands, spaces are
/// `%20`, nested keys are written `a[b][c]`, null is its key without `=`, dates are RFC 3339 text in UTC, bytes are base64, and a key
/// that is there twice is written twice. An empty list or object is left out, but for a case that an enum without a
/// raw type has encoded as one, which is refused. The output is the same every time.
///
/// ```swift
/// let likeBrowsers = ParameterEncoding(.emptyNulls, .plusSpaces)
/// let search = OneOffRequest<Data>("search", parameters: ["q": "a b"], serializer: .form(likeBrowsers))
/// ```
///
/// In JSON, dates and bytes are written as ``RequestSerializer/json`` says, and nothing of this counts.
public struct ParameterEncoding: Sendable, Hashable {
  enum ArrayStyle: CaseIterable { case brackets, repeated, indexed, comma }
  enum Order: CaseIterable { case written, sorted }
  enum BoolStyle: CaseIterable { case words, digits }
  enum NullStyle: CaseIterable { case keyOnly, empty, word, omitted }
  enum SpaceStyle: CaseIterable { case percent, plus }
  enum NestingStyle: CaseIterable { case brackets, dots }

  enum DateStyle: Hashable {
    case iso8601, secondsSince1970, millisecondsSince1970
    case custom(TextMaker<Date>)
  }

  enum DataStyle: Hashable {
    case base64, base64URL
    case custom(TextMaker<Data>)
  }

  /// A closure that makes text; equal to itself alone.
  final class TextMaker<Value>: Sendable, Hashable {
    let text: @Sendable (Value) throws -> String

    init(_ text: @escaping @Sendable (Value) throws -> String) { self.text = text }

    static func == (a: TextMaker, b: TextMaker) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  var arrays = ArrayStyle.brackets
  var order = Order.written
  var bools = BoolStyle.words
  var nulls = NullStyle.keyOnly
  var spaces = SpaceStyle.percent
  var nesting = NestingStyle.brackets
  var dates = DateStyle.iso8601
  var data = DataStyle.base64

  /// Creates the default encoding.
  public init() {}

  /// Creates an encoding that differs from the default in the given styles.
  ///
  /// Of two styles for the same thing, the later one applies.
  public init(_ first: Style, _ others: Style...) {
    first.change(&self)
    for style in others { style.change(&self) }
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

extension ParameterEncoding {
  /// One difference from the default encoding: `ParameterEncoding(.repeatedKeys, .plusSpaces)`.
  public struct Style: Sendable {
    fileprivate let change: @Sendable (inout ParameterEncoding) -> Void

    // MARK: Lists

    /// Lists as `a=1&a=2`, as Django, Spring and Go read them; the default is `a[]=1&a[]=2`, as PHP and Rails read lists.
    ///
    /// An element that is an object or a list is written with its index, `a[0][b]=1`, in every style:
    /// PHP, Node's qs, ASP.NET and Spring read that, and `a[][b]=1` would mean one object per key to some servers.
    public static var repeatedKeys: Style { Style { $0.arrays = .repeated } }
    /// Lists as `a[0]=1&a[1]=2`, as ASP.NET and PHP read them.
    public static var indexedKeys: Style { Style { $0.arrays = .indexed } }
    /// Lists as `a=1,2`: elements are percent-encoded, then joined; null is an empty element.
    ///
    /// A list with an object or a list in it is written as by default.
    public static var commaSeparatedLists: Style { Style { $0.arrays = .comma } }

    // MARK: Keys

    /// Keys sorted on every level; the elements of a list, and the values of a repeated key, keep their order.
    ///
    /// By default, keys are in the order of the parameters.
    public static var sortedKeys: Style { Style { $0.order = .sorted } }
    /// The key of a value within an object as `a.b=1`, as Spring and ASP.NET read it; the default is `a[b]=1`, as PHP, Rails and Node's qs
    /// read it.
    ///
    /// A dot in a key is not escaped. Lists keep their brackets, `a[0].b=1`.
    public static var dottedKeys: Style { Style { $0.nesting = .dots } }

    // MARK: Values

    /// `true` and `false` as `1` and `0`; the default is `true` and `false`.
    public static var numericBools: Style { Style { $0.bools = .digits } }
    /// Null as an empty value, `a=`; the default is the key alone, `a`, and in a form of parts an empty value.
    ///
    /// Null is `.null` as a value, and `nil` in a list.
    public static var emptyNulls: Style { Style { $0.nulls = .empty } }
    /// Null as the word, `a=null`.
    public static var wordNulls: Style { Style { $0.nulls = .word } }
    /// Null left out.
    ///
    /// A list gets shorter, and its indices count the remaining elements.
    public static var omittedNulls: Style { Style { $0.nulls = .omitted } }
    /// Spaces as `+`, as browsers send forms; the default is `%20`, which every server reads.
    ///
    /// A plus is `%2B` in both styles.
    public static var plusSpaces: Style { Style { $0.spaces = .plus } }
    /// Dates as seconds since 1970, with a fraction if the date has one.
    ///
    /// The default is RFC 3339 text in UTC and whole seconds, `2026-11-21T10:00:00Z`, in the Gregorian calendar also for early dates; a
    /// date outside of the years 0 to 9999 is refused.
    public static var secondsSince1970: Style { Style { $0.dates = .secondsSince1970 } }
    /// Dates as milliseconds since 1970, with a fraction if the date has one.
    public static var millisecondsSince1970: Style { Style { $0.dates = .millisecondsSince1970 } }
    /// Dates as the text that the closure makes; an error that the closure throws is the cause of the refusal.
    ///
    /// An encoding with a closure is equal only to its own copies.
    public static func dates(_ text: @escaping @Sendable (Date) throws -> String) -> Style {
      let style = DateStyle.custom(TextMaker(text))
      return Style { $0.dates = style }
    }
    /// Bytes as base64 for URLs, with `-` and `_` and without padding (RFC 4648 section 5); the default is base64 (RFC 4648 section 4).
    public static var base64URL: Style { Style { $0.data = .base64URL } }
    /// Bytes as the text that the closure makes; an error that the closure throws is the cause of the refusal.
    ///
    /// An encoding with a closure is equal only to its own copies.
    public static func data(_ text: @escaping @Sendable (Data) throws -> String) -> Style {
      let style = DataStyle.custom(TextMaker(text))
      return Style { $0.data = style }
    }
  }
}

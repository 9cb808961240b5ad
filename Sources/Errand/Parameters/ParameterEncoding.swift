public import Foundation

/// The format of parameters in a query or a form: `a%5B%5D=1&page=2`.
///
/// By default, in a query or a URL-encoded form:
///
/// - keys and values are percent-encoded in UTF-8, except unreserved characters (RFC 3986), `/` and `?`
///
/// - a space is `%20`
/// - nested keys are `a[b][c]`
/// - null is the key without `=`
/// - dates are RFC 3339 text in UTC
/// - bytes are base64
/// - a repeated key is written repeatedly
/// - an empty list or object is left out, but an enum case encoded as an empty object is an error
///
/// ```swift
/// let likeBrowsers = ParameterEncoding(.emptyNulls, .plusSpaces)
/// let found = try await agent.send(
///   .get("search", parameters: ["q": "a b"], serializer: .form(likeBrowsers), as: Data.self))
/// ```
///
/// The styles have no effect on a JSON body.
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

  /// A closure that makes text, compared by identity.
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
  /// For the same setting, the last style wins.
  public init(_ first: Style, _ others: Style...) {
    first.change(&self)
    for style in others { style.change(&self) }
  }

  /// Returns parameters as text; empty for empty parameters.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for
  ///
  /// - a number that is infinite or NaN
  /// - a date that the format cannot express, such as a date after the year 9999
  /// - a file
  /// - an empty object from an enum case without a raw type
  /// - an error of a closure of ``Style/dates(_:)`` or ``Style/data(_:)``
  /// - nesting deeper than 512 levels, or deeper than the thread's stack allows
  public func encode(_ parameters: Parameters) throws(Refusal) -> String {
    var writer = FormWriter(encoding: self)
    try writer.write(parameters)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension ParameterEncoding {
  /// A deviation from the default encoding, as in `ParameterEncoding(.repeatedKeys, .plusSpaces)`.
  public struct Style: Sendable {
    fileprivate let change: @Sendable (inout ParameterEncoding) -> Void

    // MARK: Lists

    /// Lists as `a=1&a=2`, for Django, Spring and Go; by default `a[]=1&a[]=2`, for PHP and Rails.
    ///
    /// In every style, an element that is an object or a list has its index: `a[0][b]=1`.
    public static var repeatedKeys: Style { Style { $0.arrays = .repeated } }
    /// Lists as `a[0]=1&a[1]=2`, for ASP.NET and PHP.
    public static var indexedKeys: Style { Style { $0.arrays = .indexed } }
    /// Lists as `a=1,2`; by default `a[]=1&a[]=2`.
    ///
    /// An element is percent-encoded before joining, except in a multipart form. A null element is empty,
    /// unless ``wordNulls`` or ``omittedNulls`` is set. A list that contains an object, a list or a file is
    /// written as by default.
    public static var commaSeparatedLists: Style { Style { $0.arrays = .comma } }

    // MARK: Keys

    /// Keys sorted on every level; by default, keys are in the order of the parameters.
    ///
    /// The elements of a list, and the values of a repeated key, keep their order.
    public static var sortedKeys: Style { Style { $0.order = .sorted } }
    /// Members of objects as `a.b=1`, for Spring and ASP.NET; by default `a[b]=1`, for PHP and Rails.
    ///
    /// A dot in a key is not escaped. An index keeps its brackets: `a[0].b=1`.
    public static var dottedKeys: Style { Style { $0.nesting = .dots } }

    // MARK: Values

    /// `true` and `false` as `1` and `0`; by default `true` and `false`.
    public static var numericBools: Style { Style { $0.bools = .digits } }
    /// Null as an empty value, `a=`; by default the key alone, `a`.
    public static var emptyNulls: Style { Style { $0.nulls = .empty } }
    /// Null as the word `null`: `a=null`.
    public static var wordNulls: Style { Style { $0.nulls = .word } }
    /// Null left out, in lists too.
    ///
    /// With ``indexedKeys``, the remaining elements keep their indices: `[nil, 2]` is `a[1]=2`.
    public static var omittedNulls: Style { Style { $0.nulls = .omitted } }
    /// Spaces as `+`, as in browser forms; by default `%20`.
    ///
    /// A plus sign is `%2B` in both styles. A multipart form contains spaces and plus signs unchanged.
    public static var plusSpaces: Style { Style { $0.spaces = .plus } }
    /// Dates as seconds since 1970, not rounded to whole seconds.
    ///
    /// By default, a date is RFC 3339 text in UTC with whole seconds, `2026-11-21T10:00:00Z`.
    public static var secondsSince1970: Style { Style { $0.dates = .secondsSince1970 } }
    /// Dates as milliseconds since 1970, not rounded to whole milliseconds.
    public static var millisecondsSince1970: Style { Style { $0.dates = .millisecondsSince1970 } }
    /// Dates as the text from the closure.
    ///
    /// An error thrown by the closure is the cause of a ``Refusal``.
    public static func dates(_ text: @escaping @Sendable (Date) throws -> String) -> Style {
      let style = DateStyle.custom(TextMaker(text))
      return Style { $0.dates = style }
    }
    /// Bytes as base64 for URLs, without padding (RFC 4648 section 5); by default base64 (section 4).
    public static var base64URL: Style { Style { $0.data = .base64URL } }
    /// Bytes as the text from the closure.
    ///
    /// An error thrown by the closure is the cause of a ``Refusal``.
    public static func data(_ text: @escaping @Sendable (Data) throws -> String) -> Style {
      let style = DataStyle.custom(TextMaker(text))
      return Style { $0.data = style }
    }
  }
}

public import Foundation

/// The format of parameters in a query or a form: `a%5B%5D=1&page=2`.
///
/// By default, in a query or a URL-encoded form:
///
/// - keys and values are percent-encoded, except unreserved characters (RFC 3986), `/` and `?`
/// - a space is `%20`
/// - nested keys are `a[b][c]`
/// - null is the key without `=`
/// - dates are RFC 3339 text in UTC, and bytes are base64
/// - empty lists and objects are left out
///
/// ```swift
/// let likeBrowsers = ParameterEncoding(.emptyNulls, .plusSpaces)
/// let found = try await agent.send(
///   .get("search", parameters: ["q": "a b"], serializer: .form(likeBrowsers), as: Data.self))
/// ```
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

  /// Creates an encoding from styles; for the same setting, the last style wins.
  public init(_ first: Style, _ others: Style...) {
    first.change(&self)
    for style in others { style.change(&self) }
  }

  /// Returns parameters as text.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for
  ///
  /// - an infinite number or NaN
  /// - a date that the format cannot express
  /// - a file
  /// - an enum case that is encoded as an empty object
  /// - an error thrown by the closure of a style
  /// - more than 512 nested levels, or more levels than the stack allows
  public func encode(_ parameters: Parameters) throws(Refusal) -> String {
    var writer = FormWriter(encoding: self)
    try writer.write(parameters)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension ParameterEncoding {
  /// A deviation from the default encoding.
  public struct Style: Sendable {
    fileprivate let change: @Sendable (inout ParameterEncoding) -> Void

    // MARK: Lists

    /// Lists as `a=1&a=2`; by default `a[]=1&a[]=2`.
    ///
    /// An element that is an object or a list has an index: `a[0][b]=1`.
    public static var repeatedKeys: Style { Style { $0.arrays = .repeated } }
    /// Lists as `a[0]=1&a[1]=2`, for ASP.NET and PHP.
    public static var indexedKeys: Style { Style { $0.arrays = .indexed } }
    /// Lists as `a=1,2`; by default `a[]=1&a[]=2`.
    ///
    /// A list that contains an object, a list or a file keeps the default form.
    public static var commaSeparatedLists: Style { Style { $0.arrays = .comma } }

    // MARK: Keys

    /// Keys sorted on every level; by default in written order.
    public static var sortedKeys: Style { Style { $0.order = .sorted } }
    /// Members as `a.b=1`; by default `a[b]=1`.
    ///
    /// An index stays in brackets: `a[0].b=1`.
    public static var dottedKeys: Style { Style { $0.nesting = .dots } }

    // MARK: Values

    /// `1` and `0` in place of `true` and `false`.
    public static var numericBools: Style { Style { $0.bools = .digits } }
    /// Null as an empty value, `a=`.
    public static var emptyNulls: Style { Style { $0.nulls = .empty } }
    /// Null as a word: `a=null`.
    public static var wordNulls: Style { Style { $0.nulls = .word } }
    /// Null left out, also in lists.
    ///
    /// With ``indexedKeys``, `[nil, 2]` is `a[1]=2`.
    public static var omittedNulls: Style { Style { $0.nulls = .omitted } }
    /// Spaces as `+`, except in a multipart form; by default `%20`.
    public static var plusSpaces: Style { Style { $0.spaces = .plus } }
    /// Dates as seconds since 1970, with the fraction, if any.
    public static var secondsSince1970: Style { Style { $0.dates = .secondsSince1970 } }
    /// Dates as milliseconds since 1970, with the fraction, if any.
    public static var millisecondsSince1970: Style { Style { $0.dates = .millisecondsSince1970 } }
    /// Dates as text from a closure.
    ///
    /// An error of the closure becomes the cause of a ``Refusal``.
    public static func dates(_ text: @escaping @Sendable (Date) throws -> String) -> Style {
      let style = DateStyle.custom(TextMaker(text))
      return Style { $0.dates = style }
    }
    /// Bytes as base64 for URLs (RFC 4648 section 5), without padding.
    public static var base64URL: Style { Style { $0.data = .base64URL } }
    /// Bytes as text from a closure.
    ///
    /// An error of the closure becomes the cause of a ``Refusal``.
    public static func data(_ text: @escaping @Sendable (Data) throws -> String) -> Style {
      let style = DataStyle.custom(TextMaker(text))
      return Style { $0.data = style }
    }
  }
}

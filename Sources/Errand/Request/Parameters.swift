/// Parameters.
public struct Parameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// Literal.
  public init(dictionaryLiteral elements: (String, String)...) {}
  /// Whether there are none.
  public var isEmpty: Bool { true }
}

/// A single-value container that takes the text of a number, so that it keeps its digits.
///
/// The container of the coder's own encoders is one:
///
/// ```swift
/// if let container = encoder.singleValueContainer() as? any JSONNumberTextContainer {
///   try container.encodeNumber(text: "1.10")
/// }
/// ```
package protocol JSONNumberTextContainer: AnyObject {
  /// Encodes a number as it is written; `text` must be a number by RFC 8259, section 6, which is not checked.
  func encodeNumber(text: String) throws
}

/// A number as it is written.
struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // Never asked by the coder's own encoders, which write the text.
    try (encoder.singleValueContainer() as? any JSONNumberTextContainer)?.encodeNumber(text: text)
  }
}

/// Null.
struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

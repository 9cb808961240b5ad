/// A single-value container that encodes the text of a number, so that all digits stay.
///
/// The containers of the coder's own encoders conform:
///
/// ```swift
/// if let container = encoder.singleValueContainer() as? any JSONNumberTextContainer {
///   try container.encodeNumber(text: "1.10")
/// }
/// ```
package protocol JSONNumberTextContainer: AnyObject {
  /// Encodes a number from its text. The text must be a number by RFC 8259 section 6, and is not checked.
  func encodeNumber(text: String) throws
}

/// A number as its text.
struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // Never called by the coder's own encoders, which write the text.
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

/// A single-value container that encodes the text of a number, with all digits.
///
/// The encoders of ``JSONCoding`` conform:
///
/// ```swift
/// if let container = encoder.singleValueContainer() as? any JSONNumberTextContainer {
///   try container.encodeNumber(text: "1.10")
/// }
/// ```
package protocol JSONNumberTextContainer: AnyObject {
  /// Encodes a number given as text by RFC 8259 section 6; the text is not checked.
  func encodeNumber(text: String) throws
}

struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // The encoders of ``JSONCoding`` write the text without calling this method.
    try (encoder.singleValueContainer() as? any JSONNumberTextContainer)?.encodeNumber(text: text)
  }
}

struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

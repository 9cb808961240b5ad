/// A single-value container for numbers as text, so no digit is lost.
///
/// The encoders of ``JSONCoding`` have such containers.
package protocol JSONNumberTextContainer: AnyObject {
  /// Encodes the text of a number (RFC 8259 section 6), without a check.
  func encodeNumber(text: String) throws
}

struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // Only for a direct call. The encoders of ``JSONCoding`` recognize the type and append `text`.
    try (encoder.singleValueContainer() as? any JSONNumberTextContainer)?.encodeNumber(text: text)
  }
}

struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

/// A single-value container of an encoder of ``JSONCoding``, for the text of a number with all
/// digits.
package protocol JSONNumberTextContainer: AnyObject {
  /// Encodes the text of a number (RFC 8259 section 6), without a check.
  func encodeNumber(text: String) throws
}

struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // The encoders of ``JSONCoding`` append `text` without this method.
    try (encoder.singleValueContainer() as? any JSONNumberTextContainer)?.encodeNumber(text: text)
  }
}

struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

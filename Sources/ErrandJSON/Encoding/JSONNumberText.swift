/// A single-value container that accepts a number as text, so that no digit is lost.
package protocol JSONNumberTextContainer: AnyObject {
  func encodeNumber(text: String) throws
}

struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // Usually not called, because ``JSONValueWriter`` writes `text` itself.
    try (encoder.singleValueContainer() as? any JSONNumberTextContainer)?.encodeNumber(text: text)
  }
}

struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

/// A single-value container that writes a number from a given text, so that no digit is lost.
package protocol JSONNumberTextContainer: AnyObject {
  func encodeNumber(text: String) throws
}

struct JSONNumberText: Encodable {
  let text: String

  func encode(to encoder: any Encoder) throws {
    // ``JSONValueWriter`` writes `text` without this call.
    try (encoder.singleValueContainer() as? any JSONNumberTextContainer)?.encodeNumber(text: text)
  }
}

struct JSONNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

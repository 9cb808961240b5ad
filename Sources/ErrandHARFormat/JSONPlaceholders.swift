import Errand
import ErrandJSON
import Foundation

/// Restores the original JSON types of hidden values in a redacted JSON body.
///
/// Redaction writes a string for a hidden number, and a number does not decode from a string.
/// A hidden number becomes `0`, and a hidden Boolean `false`. An object or array keeps its structure.
struct JSONPlaceholders {
  private let original: [UInt8]
  private let shown: [UInt8]
  private let redaction: Redaction
  private var result: [UInt8] = []

  /// Returns the redacted body `shown` with the original JSON types; `nil` if `body` is not JSON.
  ///
  /// If the structures of `shown` and `body` differ, placeholders replace all values.
  static func restore(in shown: String, of body: Data, by redaction: Redaction) -> String? {
    guard isJSON(body) else { return nil }
    var placeholders = JSONPlaceholders(original: Array(body), shown: Array(shown.utf8), redaction: redaction)
    if !placeholders.walk() || !isJSON(Data(placeholders.result)) {
      placeholders.result = []
      placeholders.addPlaceholder(for: placeholders.original[...])
    }
    return String(decoding: placeholders.result, as: UTF8.self)
  }

  static func isJSON(_ text: Data) -> Bool {
    (try? JSONCoding().decode(JSONValue.self, from: text)) != nil
  }

  private init(original: [UInt8], shown: [UInt8], redaction: Redaction) {
    self.original = original
    self.shown = shown
    self.redaction = redaction
  }

  /// Copies `shown` to `result`, with placeholders for hidden values; `false` if the structures differ.
  private mutating func walk() -> Bool {
    var (place, other) = (0, 0)
    while place < original.count, other < shown.count {
      switch (original[place], shown[other]) {
      case (Self.quote, Self.quote):
        let end = JSONSpan.endOfString(in: shown, from: other)
        result += shown[other..<end]
        (place, other) = (JSONSpan.endOfString(in: original, from: place), end)
      case (_, Self.quote):
        let end = JSONSpan.endOfString(in: shown, from: other)
        guard shown[other..<end].elementsEqual(Self.marker) else { return false }
        let valueEnd = JSONSpan.endOfValue(in: original, from: place)
        addPlaceholder(for: original[place..<valueEnd])
        (place, other) = (valueEnd, end)
      case (let byte, _) where Self.beginsScalar(byte):
        let (end, otherEnd) = (
          JSONSpan.endOfScalar(in: original, from: place), JSONSpan.endOfScalar(in: shown, from: other)
        )
        let value = original[place..<end]
        // A changed scalar is replaced as a whole, because the visible part may reveal the secret.
        result += value == shown[other..<otherEnd] ? Array(value) : Self.placeholder(for: byte)
        (place, other) = (end, otherEnd)
      case (let byte, let shown):
        guard byte == shown else { return false }
        result.append(byte)
        (place, other) = (place + 1, other + 1)
      }
    }
    return place == original.count && other == shown.count
  }

  private mutating func addPlaceholder(for value: ArraySlice<UInt8>) {
    var place = value.startIndex
    while place < value.endIndex {
      switch value[place] {
      case Self.quote:
        let end = min(JSONSpan.endOfString(in: original, from: place), value.endIndex)
        result +=
          isName(endingAt: end) && isPlain(value[place..<end].dropFirst().dropLast())
          ? Array(value[place..<end]) : Self.marker
        place = end
      case let byte where Self.beginsScalar(byte):
        let end = JSONSpan.endOfScalar(in: original, from: place)
        result += Self.placeholder(for: byte)
        place = min(end, value.endIndex)
      case let byte:
        result.append(byte)
        place += 1
      }
    }
  }

  /// Returns true for a name that is unlikely to be a secret, such as `address1` or `expires_in`.
  private func isPlain(_ name: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: name, as: UTF8.self)
    let numbers = name.split { !Self.isDigit($0) }
    return name.count <= 40 && name.allSatisfy(Self.isNameByte) && numbers.count <= 2
      && numbers.allSatisfy { $0.count < 6 } && redaction.text(text) == text
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func beginsScalar(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func placeholder(for byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "t"), UInt8(ascii: "f"): Array("false".utf8)
    case UInt8(ascii: "n"): Array("null".utf8)
    default: [UInt8(ascii: "0")]
    }
  }

  private func isName(endingAt end: Int) -> Bool {
    original[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
  }

  private static let quote = UInt8(ascii: "\"")
  private static let marker = Array("\"\(Redaction.marker)\"".utf8)
}

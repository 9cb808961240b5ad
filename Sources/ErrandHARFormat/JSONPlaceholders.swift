import Errand
import ErrandJSON
import Foundation

/// Gives hidden values of a JSON text back their kinds, so that a recorded answer still decodes.
///
/// A ``/Errand/Redaction`` puts a string in the place of any value, and a marker in the place of a part of one. Here a number
/// that differs becomes `0`, a boolean `false`, and an object or array keeps its form with nothing in it that was a secret.
struct JSONPlaceholders {
  private let original: [UInt8]
  private let shown: [UInt8]
  private let redaction: Redaction
  private var result: [UInt8] = []

  /// The redacted text with values of the right kinds; `nil` where the body is no JSON.
  ///
  /// Where a hidden value has taken several values of the text away, so that it is not known which is which, all are replaced.
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

  /// Goes through both at once, a string or another scalar at a time; `false` when they do not lie side by side.
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
        // A part of it was hidden: the rest may tell what.
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

  /// Whether a name is one that a program reads, such as `address1` or `expires_in`, and not a secret itself, as a number or
  /// an identifier may be: those are long, or have digits in many places.
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

  /// Whether the string that ends there in the body is the name of a member.
  private func isName(endingAt end: Int) -> Bool {
    original[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
  }

  private static let quote = UInt8(ascii: "\"")
  private static let marker = Array("\"\(Redaction.marker)\"".utf8)
}

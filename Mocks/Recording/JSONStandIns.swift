import Errand
import Foundation

/// Gives hidden values of a JSON text back their kinds, so that a recorded answer still decodes.
///
/// A ``/Errand/Redaction`` puts a string in the place of any value. Here a hidden number becomes `0`, a boolean
/// `false`, and an object or array keeps its form with nothing in it that was a secret.
struct JSONStandIns {
  private let original: [UInt8]
  private let shown: [UInt8]
  private var result: [UInt8] = []

  /// The redacted text with values of the right kinds; `nil` when the two texts do not lie side by side.
  static func restore(in shown: String, of body: Data) -> String? {
    guard (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil else {
      return nil
    }
    var standIns = JSONStandIns(original: Array(body), shown: Array(shown.utf8))
    return standIns.walk() ? String(decoding: standIns.result, as: UTF8.self) : nil
  }

  private init(original: [UInt8], shown: [UInt8]) {
    self.original = original
    self.shown = shown
  }

  /// Goes through both at once: they differ in strings, and where a string stands for another value.
  private mutating func walk() -> Bool {
    var (place, other) = (0, 0)
    while place < original.count, other < shown.count {
      if shown[other] == Self.quote {
        let end = JSONScan.endOfString(in: shown, from: other)
        let value = shown[other..<end]
        if original[place] == Self.quote {
          result += value
          place = JSONScan.endOfString(in: original, from: place)
        } else {
          guard value.elementsEqual(Self.marker) else { return false }
          let valueEnd = JSONScan.endOfValue(in: original, from: place)
          addStandIn(for: original[place..<valueEnd])
          place = valueEnd
        }
        other = end
      } else {
        guard original[place] == shown[other] else { return false }
        result.append(shown[other])
        (place, other) = (place + 1, other + 1)
      }
    }
    return place == original.count && other == shown.count
  }

  private mutating func addStandIn(for value: ArraySlice<UInt8>) {
    var place = value.startIndex
    while place < value.endIndex {
      switch value[place] {
      case Self.quote:
        let end = min(JSONScan.endOfString(in: original, from: place), value.endIndex)
        result +=
          JSONScan.isName(endingAt: end, in: original) && Self.isPlain(value[place..<end])
          ? Array(value[place..<end]) : Self.marker
        place = end
      case let byte where Self.beginsScalar(byte):
        let end = JSONScan.endOfScalar(in: original, from: place)
        result += Self.standIn(for: byte)
        place = min(end, value.endIndex)
      case let byte:
        result.append(byte)
        place += 1
      }
    }
  }

  /// Whether a name is a word: one with digits in it may be a secret itself.
  private static func isPlain(_ name: ArraySlice<UInt8>) -> Bool {
    name.dropFirst().dropLast().allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
  }

  private static func beginsScalar(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func standIn(for byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "t"), UInt8(ascii: "f"): Array("false".utf8)
    case UInt8(ascii: "n"): Array("null".utf8)
    default: [UInt8(ascii: "0")]
    }
  }

  private static let quote = UInt8(ascii: "\"")
  private static let marker = Array("\"\(Redaction.marker)\"".utf8)
}

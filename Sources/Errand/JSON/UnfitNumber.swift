import Foundation

/// Finds the number of a JSON text that does not fit what is decoded of it.
///
/// Foundation on Linux does not say which it is. So the text is decoded again with a number of its last numbers made 0, and the
/// first that must be among them is looked for by halving: of 100,000 numbers it takes 17 rounds.
enum UnfitNumber {
  /// A step of its place.
  private struct Step: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
  }

  /// Where the first of them stands; `nil` when it is no number's fault.
  ///
  /// - Parameters:
  ///   - body: valid JSON in UTF-8.
  ///   - fails: whether another text fails in the same way.
  static func path(in body: Data, fails: (Data) -> Bool) -> [any CodingKey]? {
    let bytes = Array(body)
    let numbers = numbers(in: bytes)
    guard !numbers.isEmpty, !fails(keeping(0, of: numbers, in: bytes)) else { return nil }
    var (fitting, failing) = (0, numbers.count)
    while failing - fitting > 1 {
      let middle = (fitting + failing) / 2
      if fails(keeping(middle, of: numbers, in: bytes)) { failing = middle } else { fitting = middle }
    }
    return path(to: numbers[failing - 1].lowerBound, in: bytes)
  }

  private static func numbers(in bytes: [UInt8]) -> [Range<Int>] {
    var (found, index) = ([Range<Int>](), 0)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): index = JSONSpan.endOfString(in: bytes, from: index)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let end = bytes[index...].firstIndex { !isNumberByte($0) } ?? bytes.count
        found.append(index..<end)
        index = end
      default: index += 1
      }
    }
    return found
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || "+-.eE".utf8.contains(byte)
  }

  /// The text with all numbers but the first ones made 0.
  private static func keeping(_ count: Int, of numbers: [Range<Int>], in bytes: [UInt8]) -> Data {
    var (result, position) = (Data(capacity: bytes.count), 0)
    for number in numbers.dropFirst(count) {
      result.append(contentsOf: bytes[position..<number.lowerBound])
      result.append(UInt8(ascii: "0"))
      position = number.upperBound
    }
    result.append(contentsOf: bytes[position...])
    return result
  }

  /// The names and indices that lead to what begins at `start`.
  private static func path(to start: Int, in bytes: [UInt8]) -> [any CodingKey] {
    var (open, index) = ([Step](), 0)
    while index < start {
      switch bytes[index] {
      case UInt8(ascii: "["): open.append(Step(intValue: 0))
      case UInt8(ascii: "{"): open.append(Step(stringValue: ""))
      case UInt8(ascii: "]"), UInt8(ascii: "}"): _ = open.popLast()
      case UInt8(ascii: ","):
        if let number = open.last?.intValue { open[open.count - 1] = Step(intValue: number + 1) }
      case UInt8(ascii: "\""):
        let end = JSONSpan.endOfString(in: bytes, from: index)
        // The last string before a member's value is its name.
        if open.last?.intValue == nil, !open.isEmpty {
          open[open.count - 1] = Step(stringValue: JSONEscapes.unescape(bytes[(index + 1)..<(end - 1)]))
        }
        index = end
        continue
      default: break
      }
      index += 1
    }
    return open
  }
}

/// A set of secret values, indexed to search a text for all values at once.
final class HiddenValues: Sendable {
  let values: Set<HiddenValue>
  private let needles: [ValueNeedle]
  /// Indices into ``needles``, grouped by the first byte of the printed form.
  private let order: [Int]
  /// The index in ``order`` at which the group of each byte starts.
  private let starts: [Int]

  init(_ values: Set<HiddenValue>) {
    self.values = values
    let needles = values.flatMap(ValueNeedle.needles)
    self.needles = needles
    let firsts = needles.map(\.firstBytes)
    var starts = [Int](repeating: 0, count: 257)
    for byte in firsts.joined() { starts[Int(byte) + 1] += 1 }
    for byte in 0..<256 { starts[byte + 1] += starts[byte] }
    var (next, order) = (starts, [Int](repeating: 0, count: starts[256]))
    for (index, bytes) in firsts.enumerated() {
      for byte in bytes {
        order[next[Int(byte)]] = index
        next[Int(byte)] += 1
      }
    }
    (self.order, self.starts) = (order, starts)
  }

  /// Replaces the values by markers; with `isCut`, the text may end in the middle of a value.
  func hide(in bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    var text = bytes
    // A new marker is a word boundary. A later pass may thus find a short value beside the marker.
    for _ in 0..<3 {
      let found = text.withUnsafeBufferPointer { occurrences(in: $0, isCut: isCut) }
      guard !found.isEmpty else { break }
      text = Self.replacing(found, in: text)
    }
    return text
  }

  private func occurrences(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> [Range<Int>] {
    // Local copies, because the loop often reads the arrays.
    let (needles, order, starts) = (needles, order, starts)
    var found: [Range<Int>] = []
    var position = 0
    var budget = ComparisonBudget(length: bytes.count)
    let look = { (first: UInt8) in
      for place in starts[Int(first)]..<starts[Int(first) + 1] {
        let needle = needles[order[place]]
        let range = needle.occurrence(in: bytes, at: position, isCut: isCut, &budget)
        if let range { Self.add(range, to: &found) }
      }
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "<"), Self.isMarker(in: bytes, at: position) {
        position += Self.marker.count
        continue
      }
      look(byte)
      if EscapedByte.isMark(byte) { EscapedByte.firsts(in: bytes, at: position, look) }
      if budget.isSpent, found.last?.upperBound == bytes.count { break }
      position += 1
    }
    return found
  }

  private static func add(_ range: Range<Int>, to found: inout [Range<Int>]) {
    if let last = found.last, last.upperBound > range.lowerBound {
      let start = min(last.lowerBound, range.lowerBound)
      found[found.count - 1] = start..<max(last.upperBound, range.upperBound)
    } else {
      found.append(range)
    }
  }

  private static func isMarker(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    let end = start + marker.count
    return end <= bytes.count && marker.indices.allSatisfy { bytes[start + $0] == marker[$0] }
  }

  private static let marker = Array(Redaction.marker.utf8)

  private static func replacing(_ ranges: [Range<Int>], in bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    for range in ranges {
      result.append(contentsOf: bytes[position..<range.lowerBound])
      result.append(contentsOf: Redaction.marker.utf8)
      position = range.upperBound
    }
    result.append(contentsOf: bytes[position...])
    return result
  }
}

extension HiddenValues: Hashable {
  static func == (a: HiddenValues, b: HiddenValues) -> Bool { a.values == b.values }
  func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension HiddenValues: CustomStringConvertible, CustomReflectable {
  var description: String { "\(values.count) values" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

struct HiddenValue: Sendable, Hashable {
  let bytes: [UInt8]
  /// True for a short value.
  ///
  /// The text of a short value is hidden only at word boundaries, because longer words may contain the text.
  let standsAlone: Bool

  init?(_ secret: Secret) {
    bytes = Array(secret.reveal().utf8)
    guard !bytes.isEmpty else { return nil }
    standsAlone = bytes.count < 4
  }

  /// Returns `nil` for values shorter than 4 or longer than 65,536 bytes, and for common words such as
  /// `true`.
  init?(learned text: some StringProtocol) {
    bytes = Array(text.utf8)
    guard (4...65_536).contains(bytes.count), !Self.common.contains(text.lowercased()) else { return nil }
    standsAlone = bytes.count < 8
  }

  private static let common: Set<String> = ["true", "false", "null", "none", "undefined", Redaction.marker]
}

extension HiddenValue: CustomStringConvertible, CustomReflectable {
  var description: String { Redaction.marker }
  var customMirror: Mirror { Mirror(self, children: []) }
}

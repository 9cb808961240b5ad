/// Values to be hidden, made ready for a search for all of them in one pass.
final class HiddenValues: Sendable {
  let values: Set<HiddenValue>
  private let needles: [ValueNeedle]
  /// The needles that an occurrence with the byte at its front may be of.
  private let starts: [[Int]]

  init(_ values: Set<HiddenValue>) {
    self.values = values
    let needles = values.flatMap(ValueNeedle.needles)
    var starts = [[Int]](repeating: [], count: 256)
    for (index, needle) in needles.enumerated() {
      for byte in needle.firstBytes { starts[Int(byte)].append(index) }
    }
    self.needles = needles
    self.starts = starts
  }

  /// The text with ``Redaction/marker`` in the place of each occurrence.
  ///
  /// - Parameter isCut: whether the text may have been cut in the middle of a value, whose beginning then counts.
  func hide(in bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    var text = bytes
    // What stands alone may do so only once its neighbour is hidden.
    for _ in 0..<3 {
      let found = occurrences(in: text, isCut: isCut)
      guard !found.isEmpty else { break }
      text = Self.replacing(found, in: text)
    }
    return text
  }

  /// Where they are, in order; those that overlap are one.
  private func occurrences(in bytes: [UInt8], isCut: Bool) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var position = 0
    var patience = Patience(length: bytes.count)
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<"), bytes[position...].starts(with: Redaction.marker.utf8) {
        position += Redaction.marker.utf8.count
        continue
      }
      for index in starts[Int(bytes[position])] {
        guard let range = needles[index].occurrence(in: bytes, at: position, isCut: isCut, &patience)
        else { continue }
        if let last = found.last, last.upperBound > range.lowerBound {
          let start = min(last.lowerBound, range.lowerBound)
          found[found.count - 1] = start..<max(last.upperBound, range.upperBound)
        } else {
          found.append(range)
        }
      }
      if patience.isLost, found.last?.upperBound == bytes.count { break }
      position += 1
    }
    return found
  }

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

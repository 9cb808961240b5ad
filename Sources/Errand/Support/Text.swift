import Foundation

extension String {
  /// The text with control characters and many invisible characters escaped, for example as `\u{1B}`.
  ///
  /// Tab and line feed stay unchanged.
  package var printed: String {
    if withBytes({ $0.allSatisfy(Self.isShown) }) { return self }
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isHidden {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension String {
  private static func isShown(_ byte: UInt8) -> Bool {
    (0x20..<0x7F).contains(byte) || byte == 0x09 || byte == 0x0A
  }

  /// The lines of the text, split at each `Character.isNewline`.
  var lines: [String] {
    withBytes { bytes in
      var (lines, start, index) = ([String](), 0, 0)
      while index < bytes.count {
        let length = Self.lengthOfBreak(in: bytes, at: index)
        if length > 0 {
          lines.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self))
          start = index + length
        }
        index += max(length, 1)
      }
      return lines + [String(decoding: UnsafeBufferPointer(rebasing: bytes[start...]), as: UTF8.self)]
    }
  }

  private static func lengthOfBreak(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let rest = bytes[index...]
    switch bytes[index] {
    case 0x0D: return rest.dropFirst().first == 0x0A ? 2 : 1
    case 0x0A...0x0C: return 1
    case 0xC2: return rest.dropFirst().first == 0x85 ? 2 : 0
    case 0xE2: return rest.starts(with: [0xE2, 0x80, 0xA8]) || rest.starts(with: [0xE2, 0x80, 0xA9]) ? 3 : 0
    default: return 0
    }
  }
}

extension Unicode.Scalar {
  var isHidden: Bool {
    switch value {
    case 0x09, 0x0A, 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300: false
    case 0..<0xA0: true
    // Zero-width joiners, zero-width non-joiners and variation selectors shape visible text.
    case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false
    // Line and paragraph separators, and interlinear annotations.
    case 0x2028, 0x2029, 0xFFF9...0xFFFB: true
    default: properties.isBidiControl || properties.isDefaultIgnorableCodePoint
    }
  }
}

extension String {
  package var onOneLine: String {
    let lines = split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension StringProtocol {
  /// Calls `body` with the UTF-8 bytes of the text, usually without a copy.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    return try Array(utf8).withUnsafeBufferPointer(body)
  }
}

extension Duration {
  /// A rounded text such as `1.204 s`; `0.000 s` for a negative duration.
  package var seconds: String {
    let milliseconds = max(0, (self / .milliseconds(1)).rounded())
    guard milliseconds < 1e15 else { return "\(milliseconds / 1000) s" }
    let whole = Int(milliseconds)
    let fraction = String(whole % 1000)
    return "\(whole / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
  }

  /// Rounded up to whole milliseconds.
  ///
  /// A negative duration becomes zero; a huge duration stays unchanged.
  var roundedUp: Duration {
    let milliseconds = (self / .milliseconds(1)).rounded(.up)
    return milliseconds < 1e15 ? .milliseconds(Int64(max(milliseconds, 0))) : self
  }

  /// Limited to ±2⁶² seconds, because sums of durations in a decoded report could overflow.
  package var bounded: Duration { clamped(to: .seconds(1 << 62)) }

  /// A text in seconds, with a fraction only if necessary: `0.25 s`, `60 s`.
  var secondsText: String {
    let (seconds, attoseconds) = clamped(to: .seconds(1 << 62)).components
    var digits = String(attoseconds.magnitude)
    digits = String(repeating: "0", count: 18 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(digits.isEmpty ? "" : ".")\(digits) s"
  }
}

/// The Levenshtein distance between the beginnings of two texts.
package enum EditDistance {
  /// The maximum number of compared characters of each text.
  private static let limit = 64

  package static func between(_ a: String, _ b: String) -> Int {
    let (a, b) = (a.prefix(limit), b.prefix(limit))
    var costs = Array(0...b.count)
    for letter in a {
      var corner = costs[0]
      costs[0] += 1
      for (index, other) in b.enumerated() {
        let together = corner + (letter == other ? 0 : 1)
        corner = costs[index + 1]
        costs[index + 1] = min(together, corner + 1, costs[index] + 1)
      }
    }
    return costs[b.count]
  }
}

struct ByteSet: Sendable {
  private let low: UInt64
  private let high: UInt64

  init(_ isMember: (UInt8) -> Bool) {
    var (low, high): (UInt64, UInt64) = (0, 0)
    for byte in 0..<UInt8(64) {
      if isMember(byte) { low |= 1 << UInt64(byte) }
      if isMember(byte | 64) { high |= 1 << UInt64(byte) }
    }
    (self.low, self.high) = (low, high)
  }

  func contains(_ byte: UInt8) -> Bool {
    let half = byte & 64 == 0 ? low : high
    return byte < 128 && (half >> UInt64(byte & 63)) & 1 == 1
  }

  func containsAll(of text: some StringProtocol) -> Bool {
    text.withBytes { bytes in bytes.allSatisfy(contains) }
  }
}

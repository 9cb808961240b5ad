package import Foundation

/// In which encoding a JSON text is, found as `JSONDecoder` finds it: by a byte order mark, else by the zeros among the first four
/// bytes (RFC 4627 section 3).
package struct JSONEncodings {
  /// Bytes of a code unit: 1, 2 or 4.
  let width: Int
  /// Which byte of a unit is the low one.
  let low: Int
  /// Bytes of the byte order mark.
  let mark: Int

  init(of bytes: UnsafeRawBufferPointer) {
    func begins(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
    let isZero = bytes.prefix(4).map { $0 == 0 }
    (width, low, mark) =
      if begins([0xEF, 0xBB, 0xBF]) {
        (1, 0, 3)
      } else if begins([0, 0, 0xFE, 0xFF]) {
        (4, 3, 4)
      } else if begins([0xFF, 0xFE, 0, 0]) {
        (4, 0, 4)
      } else if begins([0xFE, 0xFF]) {
        (2, 1, 2)
      } else if begins([0xFF, 0xFE]) {
        (2, 0, 2)
      } else {
        switch isZero {
        case [true, true, true, false]: (4, 3, 0)
        case [false, true, true, true]: (4, 0, 0)
        case [true, false, true, false], [true, false]: (2, 1, 0)
        case [false, true, false, true], [false, true]: (2, 0, 0)
        default: (1, 0, 0)
        }
      }
  }

  /// The text in UTF-8 without a byte order mark; `nil` where the bytes are not valid in their encoding, of which UTF-8 is not judged.
  package static func utf8(_ data: Data) -> Data? {
    let isPlain = data.withUnsafeBytes {
      // As good as every text: ASCII, and no zero among its first bytes.
      $0.count >= 4 && ByteWord.zeroOrHigh($0.loadUnaligned(as: UInt32.self)) == 0
    }
    if isPlain { return data }
    let text = data.withUnsafeBytes { JSONEncodings(of: $0) }
    let rest = data.dropFirst(text.mark)
    let encoding: String.Encoding
    switch (text.width, text.low) {
    case (1, _): return rest
    case (2, 0): encoding = .utf16LittleEndian
    case (2, _): encoding = .utf16BigEndian
    case (_, 0): encoding = .utf32LittleEndian
    default: encoding = .utf32BigEndian
    }
    return String(data: Data(rest), encoding: encoding).map { Data($0.utf8) }
  }
}

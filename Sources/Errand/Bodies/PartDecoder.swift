import Foundation

/// A decoder for a part in Base64 or quoted-printable (RFC 2045 section 6).
enum PartDecoder {
  case base64(Base64)
  case quotedPrintable(QuotedPrintable)

  init?(_ headers: HTTPHeaders) {
    switch headers["Content-Transfer-Encoding"]?.lowercased() {
    case "base64": self = .base64(Base64())
    case "quoted-printable": self = .quotedPrintable(QuotedPrintable())
    default: return nil
    }
  }

  mutating func decode(_ bytes: ArraySlice<UInt8>) -> Data {
    switch self {
    case .base64(var decoder):
      defer { self = .base64(decoder) }
      return decoder.decode(bytes)
    case .quotedPrintable(var decoder):
      defer { self = .quotedPrintable(decoder) }
      return decoder.decode(bytes)
    }
  }

  /// Returns the remaining bytes; `nil` if the Base64 ends within a byte.
  func finish() -> Data? {
    switch self {
    case .base64(let decoder): return decoder.isWhole ? Data() : nil
    case .quotedPrintable(var decoder): return decoder.finish()
    }
  }

  /// A decoder for Base64; ignores characters outside of the alphabet (RFC 2045 section 6.8).
  struct Base64 {
    private var bits: UInt32 = 0
    private var count = 0

    /// False after a single digit of a group: the 6 bits of the digit are less than a byte.
    var isWhole: Bool { count != 1 }

    mutating func decode(_ bytes: ArraySlice<UInt8>) -> Data {
      var decoded = [UInt8]()
      decoded.reserveCapacity(bytes.count / 4 * 3 + 3)
      for byte in bytes {
        if byte == UInt8(ascii: "="), isWhole {
          (bits, count) = (0, 0)
          continue
        }
        guard let digit = Self.digit(byte) else { continue }
        bits = bits << 6 | UInt32(digit)
        count += 1
        // The second, third and fourth digit of a group each complete a byte.
        if count > 1 { decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(8 - 2 * count))) }
        if count == 4 { (bits, count) = (0, 0) }
      }
      return Data(decoded)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case 0x41...0x5A: byte - 0x41
      case 0x61...0x7A: byte - 0x61 + 26
      case 0x30...0x39: byte - 0x30 + 52
      case 0x2B: 62
      case 0x2F: 63
      default: nil
      }
    }
  }

  /// A decoder for quoted-printable text.
  ///
  /// Drops blanks at the end of a line, because mail systems may add blanks (RFC 2045 section 6.7).
  struct QuotedPrintable {
    private var line: [UInt8] = []
    /// The maximum length of a line that is decoded as a whole, in bytes.
    ///
    /// A longer line is decoded in pieces, and may keep blanks at the end.
    private static let limit = 4_096

    mutating func decode(_ bytes: ArraySlice<UInt8>) -> Data {
      var decoded = [UInt8]()
      decoded.reserveCapacity(bytes.count)
      for byte in bytes {
        line.append(byte)
        if byte == 0x0A { endLine(&decoded) } else if line.count >= Self.limit { cutLine(&decoded) }
      }
      return Data(decoded)
    }

    mutating func finish() -> Data {
      var decoded = [UInt8]()
      endLine(&decoded)
      return Data(decoded)
    }

    private mutating func endLine(_ decoded: inout [UInt8]) {
      var content = line[...]
      if content.last == 0x0A { content.removeLast() }
      if content.last == 0x0D { content.removeLast() }
      let lineBreak = line[content.endIndex...]
      while content.last == 0x20 || content.last == 0x09 { content.removeLast() }
      let goesOn = content.last == UInt8(ascii: "=")
      Self.unescape(goesOn ? content.dropLast() : content, into: &decoded)
      if !goesOn { decoded += lineBreak }
      line.removeAll(keepingCapacity: true)
    }

    private mutating func cutLine(_ decoded: inout [UInt8]) {
      let escape = line.suffix(2).firstIndex(of: UInt8(ascii: "=")) ?? line.endIndex
      Self.unescape(line[..<escape], into: &decoded)
      line.removeSubrange(..<escape)
    }

    private static func unescape(_ bytes: ArraySlice<UInt8>, into decoded: inout [UInt8]) {
      var index = bytes.startIndex
      while index < bytes.endIndex {
        if bytes[index] == UInt8(ascii: "="), index + 2 < bytes.endIndex,
          let high = ASCII.hexDigit(bytes[index + 1]), let low = ASCII.hexDigit(bytes[index + 2])
        {
          decoded.append(high << 4 | low)
          index += 3
        } else {
          decoded.append(bytes[index])
          index += 1
        }
      }
    }
  }
}

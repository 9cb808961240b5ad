import Foundation

/// Creates gzip data (RFC 1952).
enum Gzip {
  private static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
  private static let blockSize = 65_535
  private static let matchSize = 258

  /// Returns `data` in stored blocks (RFC 1951 section 3.2.4), without compression.
  static func stored(_ data: Data) -> Data {
    var bytes = header
    var rest = data
    repeat {
      let block = rest.prefix(blockSize)
      rest = rest.dropFirst(block.count)
      bytes.append(rest.isEmpty ? 1 : 0)
      bytes += littleEndian(UInt16(block.count)) + littleEndian(~UInt16(block.count)) + block
    } while !rest.isEmpty
    return bytes + trailer(of: data)
  }

  /// Returns `count` NUL bytes, compressed with fixed Huffman codes (RFC 1951 section 3.2.6).
  static func zeros(_ count: Int) -> Data {
    var bits = BitWriter()
    bits.append(0b011, width: 3)
    let matches = max(count - 1, 0) / matchSize
    for _ in 0..<(count - matches * matchSize) { bits.appendCode(0b0011_0000, width: 8) }
    for _ in 0..<matches {
      bits.appendCode(0b1100_0101, width: 8)
      bits.appendCode(0, width: 5)
    }
    bits.appendCode(0, width: 7)
    return header + bits.bytes + trailer(of: Data(count: count))
  }

  private static func trailer(of data: Data) -> Data {
    littleEndian(CRC32.checksum(data)) + littleEndian(UInt32(truncatingIfNeeded: data.count))
  }

  private static func littleEndian(_ number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.littleEndian) { Data($0) }
  }
}

/// Writes bits into bytes, lowest bit first (RFC 1951 section 3.1.1).
private struct BitWriter {
  private(set) var bytes = Data()
  private var count = 0

  mutating func append(_ value: Int, width: Int) {
    for place in 0..<width { appendBit(value >> place & 1) }
  }

  /// Appends a Huffman code, highest bit first.
  mutating func appendCode(_ code: Int, width: Int) {
    for place in (0..<width).reversed() { appendBit(code >> place & 1) }
  }

  private mutating func appendBit(_ bit: Int) {
    if count % 8 == 0 { bytes.append(0) }
    bytes[bytes.endIndex - 1] |= UInt8(bit << (count % 8))
    count += 1
  }
}

/// The checksum of gzip (RFC 1952 section 8).
enum CRC32 {
  private static let table = (0..<256).map { entry(UInt32($0)) }

  static func checksum(_ data: Data) -> UInt32 {
    let table = table
    return ~data.reduce(~0) { sum, byte in
      table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
    }
  }

  private static func entry(_ index: UInt32) -> UInt32 {
    (0..<8).reduce(index) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }
}

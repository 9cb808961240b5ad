import Foundation

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

import Foundation

/// Foundation types whose decoding crashes for some values; ErrandJSON checks the values first.
enum GuardedType {
  case urlComponents, indexSet, characterSet

  init?<Value>(_ type: Value.Type) {
    if type == URLComponents.self {
      self = .urlComponents
    } else if type == IndexSet.self {
      self = .indexSet
    } else if type == CharacterSet.self {
      self = .characterSet
    } else {
      return nil
    }
  }

  private enum Name: String, CodingKey {
    case scheme, port
    case indexes, location, length
    case bitmap
  }

  func check(_ decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Name.self), let problem = problem(container) else {
      return
    }
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
  }

  private func problem(_ container: KeyedDecodingContainer<Name>) -> String? {
    switch self {
    case .urlComponents:
      if let scheme = try? container.decodeIfPresent(String.self, forKey: .scheme), !Self.isScheme(scheme) {
        return "The scheme of URLComponents is invalid."
      }
      let port = try? container.decodeIfPresent(Int.self, forKey: .port)
      return (port ?? 0) < 0 ? "The port of URLComponents is negative." : nil
    case .indexSet:
      guard var ranges = try? container.nestedUnkeyedContainer(forKey: .indexes) else { return nil }
      while !ranges.isAtEnd {
        guard let range = try? ranges.nestedContainer(keyedBy: Name.self),
          let location = try? range.decode(Int.self, forKey: .location),
          let length = try? range.decode(Int.self, forKey: .length)
        else { return nil }
        // Foundation adds location and length, and crashes if the sum overflows.
        guard 0...Self.largestIndex ~= location, 0...Self.largestIndex ~= length else {
          return "A range of IndexSet is invalid."
        }
      }
      return nil
    case .characterSet:
      let bitmap = try? container.decode(Data.self, forKey: .bitmap)
      return bitmap.map(Self.isBitmap) == false ? "The bitmap of CharacterSet is invalid." : nil
    }
  }

  /// Returns true if Foundation can decode and release a bitmap without a crash.
  ///
  /// The first Unicode plane has up to 8,192 bytes. Each further plane has 8,192 bytes after a byte with the
  /// number of the plane, 1 to 16.
  ///
  /// On Linux, Foundation crashes for more than 128 mixed blocks in the first plane. A block has 32 bytes. A
  /// block is mixed if the bytes are neither all 0x00 nor all 0xFF.
  private static func isBitmap(_ bitmap: Data) -> Bool {
    let (bytes, planeLength) = ([UInt8](bitmap), 8_192)
    let planes = stride(from: planeLength, to: bytes.count, by: planeLength + 1)
    guard !bytes.isEmpty, bytes.count <= planeLength || (bytes.count - planeLength) % (planeLength + 1) == 0,
      planes.allSatisfy({ 1...16 ~= bytes[$0] })
    else { return false }
    let blocks = stride(from: 0, to: min(bytes.count, planeLength), by: 32)
    let mixed = blocks.count { start in
      let block = bytes[start..<min(start + 32, bytes.count)]
      return !block.allSatisfy { $0 == 0 } && !(block.count == 32 && block.allSatisfy { $0 == 0xFF })
    }
    return mixed <= 128
  }

  private static let largestIndex = Int.max / 4

  /// Returns true for a URL scheme (RFC 3986 section 3.1).
  private static func isScheme(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || 0x30...0x39 ~= byte || [0x2B, 0x2D, 0x2E].contains(byte)
    }
  }
}

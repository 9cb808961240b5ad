import Foundation

enum JSONWrittenText {
  static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.contains(0x5C) else { return String(decoding: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      guard byte == 0x5C, place < bytes.count else {
        text.append(byte)
        continue
      }
      let escape = bytes[place]
      place += 1
      switch escape {
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x6E: text.append(0x0A)
      case 0x72: text.append(0x0D)
      case 0x74: text.append(0x09)
      case 0x75:
        // Only characters below U+0020 are written as `\u` escapes.
        let digits = bytes[min(place, bytes.count)..<min(place + 4, bytes.count)]
        text.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0x3F)
        place += 4
      default: text.append(escape)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the piece as a node if the piece is a whole object or array; otherwise `nil`.
  ///
  /// A piece of written text is parsed first.
  static func node(of piece: JSONPiece, level: Int, in tree: JSONTreeEncoder) -> JSONTreeNode? {
    switch piece {
    case .node(let node): return node
    case .encoder(let tree): return tree.root.flatMap { Self.node(of: $0, level: level, in: tree) }
    case .elements: return nil
    case .text(let range):
      return tree.host.state.pointee.buffer.withBytes(range) { bytes in
        let start = range.lowerBound
        return node(of: bytes, level: level) { .text(start + $0.lowerBound..<start + $0.upperBound) }
      }
    case .bytes(let bytes):
      return bytes.withUnsafeBufferPointer { buffer in
        node(of: buffer, level: level) { .bytes(Array(bytes[$0])) }
      }
    }
  }

  private static func node(
    of bytes: UnsafeBufferPointer<UInt8>, level: Int, _ piece: (Range<Int>) -> JSONPiece
  ) -> JSONTreeNode? {
    guard let first = bytes.first, first == 0x7B || first == 0x5B else { return nil }
    let node = JSONTreeNode(isObject: first == 0x7B, level: level)
    var place = 1
    while true {
      while place < bytes.count, isBetweenValues(bytes[place]) { place += 1 }
      guard place < bytes.count - 1 else { return node }
      let start = place
      place = endOfValue(in: bytes, from: start)
      guard node.isObject else {
        node.append(piece(start..<place))
        continue
      }
      let name = string(UnsafeBufferPointer(rebasing: bytes[start + 1..<place - 1]))
      while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x3A { place += 1 }
      let value = place
      place = endOfValue(in: bytes, from: value)
      node.set(piece(value..<place), for: name)
    }
  }

  private static func isBetweenValues(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x2C }

  private static func endOfValue(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var (place, depth) = (start, 0)
    while place < bytes.count {
      switch bytes[place] {
      case 0x22:
        place += 1
        while place < bytes.count, bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
        if depth == 0 { return place + 1 }
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D:
        depth -= 1
        // Below depth 0, the bracket closes the container around a scalar.
        if depth <= 0 { return depth == 0 ? place + 1 : place }
      case 0x2C, 0x0A, 0x20: if depth == 0 { return place }
      default: break
      }
      place += 1
    }
    return place
  }
}

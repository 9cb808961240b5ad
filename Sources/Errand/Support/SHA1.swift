/// SHA-1 (FIPS 180-4), for protocols that have no better: it tells accidents, no forgery.
struct SHA1: RunningSum {
  private static let blockLength = 64

  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
  /// The beginning of a block.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = rest.prefix(Self.blockLength - pending.count)
      pending += missing
      rest = rest.dropFirst(missing.count)
      guard pending.count == Self.blockLength else { return }
      pending.withUnsafeBytes { Self.mix($0, into: &state) }
      pending = []
    }
    let whole = rest.prefix(rest.count / Self.blockLength * Self.blockLength)
    Self.mix(UnsafeRawBufferPointer(rebasing: whole), into: &state)
    pending = Array(rest.dropFirst(whole.count))
  }

  func finished() -> [UInt8] {
    var (state, block) = (state, pending + [0x80])
    while block.count % Self.blockLength != Self.blockLength - 8 { block.append(0) }
    block += Self.bytes(length << 3)
    block.withUnsafeBytes { Self.mix($0, into: &state) }
    return state.flatMap(Self.bytes)
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Takes in whole blocks.
  private static func mix(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
      for start in stride(from: 0, to: blocks.count, by: blockLength) {
        for index in 0..<16 {
          words[index] = UInt32(
            bigEndian: blocks.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self))
        }
        for index in 16..<80 {
          words[index] = turned(
            words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
        }
        run(words, &state)
      }
    }
  }

  private static func run(_ words: UnsafeMutableBufferPointer<UInt32>, _ state: inout [UInt32]) {
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: ((b & c) ^ (~b & d), 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: ((b & c) ^ (b & d) ^ (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = turned(a, 5) &+ mixed &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, turned(b, 30), a, next)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word &<< count) | (word &>> (32 &- count))
  }
}

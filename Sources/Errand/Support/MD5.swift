import Foundation

/// MD5 (RFC 1321), for Digest authentication with servers that know nothing newer; nothing else should lean on it.
struct MD5: RunningSum {
  private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
  private static let sines: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
  /// The beginning of a block.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    pending += bytes
    let whole = pending.count / 64 * 64
    for start in stride(from: 0, to: whole, by: 64) { Self.mix(pending[start..<start + 64], into: &state) }
    pending.removeFirst(whole)
  }

  func finished() -> [UInt8] {
    var (state, rest) = (state, pending + [0x80])
    while rest.count % 64 != 56 { rest.append(0) }
    rest += (0..<8).map { UInt8(truncatingIfNeeded: (length << 3) >> (8 * UInt64($0))) }
    for start in stride(from: 0, to: rest.count, by: 64) { Self.mix(rest[start..<start + 64], into: &state) }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    let words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[index + $1]) << (8 * UInt32($1)) }
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let (mixed, word): (UInt32, Int) =
        switch step / 16 {
        case 0: (b & c | ~b & d, step)
        case 1: (d & b | ~d & c, (5 * step + 1) % 16)
        case 2: (b ^ c ^ d, (3 * step + 5) % 16)
        default: (c ^ (b | ~d), 7 * step % 16)
        }
      let sum = a &+ mixed &+ sines[step] &+ words[word]
      let shift = shifts[step / 16 * 4 + step % 4]
      (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
    }
    state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
  }
}

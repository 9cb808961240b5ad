import Foundation

/// A literal reference for ``RunningSum``.
enum PlainSum {
  static func md5(_ bytes: [UInt8]) -> [UInt8] {
    let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    for block in blocks(padded(bytes, 64, isLittle: true), 64) {
      let words = (Self.words(block) as [UInt32]).map { $0.byteSwapped }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      for step in 0..<64 {
        let (mixed, place): (UInt32, Int) =
          switch step / 16 {
          case 0: (b & c | ~b & d, step)
          case 1: (d & b | ~d & c, (5 * step + 1) % 16)
          case 2: (b ^ c ^ d, (3 * step + 5) % 16)
          default: (c ^ (b | ~d), 7 * step % 16)
          }
        let sine = UInt32(abs(sin(Double(step + 1))) * 4_294_967_296)
        let sum = a &+ mixed &+ sine &+ words[place]
        (a, d, c, b) = (d, c, b, b &+ sum.turned(right: 32 - shifts[step / 16 * 4 + step % 4]))
      }
      state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
    }
    return state.flatMap { big($0.byteSwapped) }
  }

  static func sha1(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for block in blocks(padded(bytes, 64), 64) {
      var words: [UInt32] = Self.words(block)
      for index in 16..<80 {
        let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
        words.append(mixed.turned(right: 31))
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for index in 0..<80 {
        let (mixed, constant): (UInt32, UInt32) =
          switch index / 20 {
          case 0: ((b & c) ^ (~b & d), 0x5A82_7999)
          case 1: (b ^ c ^ d, 0x6ED9_EBA1)
          case 2: ((b & c) ^ (b & d) ^ (c & d), 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        let next = a.turned(right: 27) &+ mixed &+ e &+ constant &+ words[index]
        (e, d, c, b, a) = (d, c, b.turned(right: 2), a, next)
      }
      state = zip(state, [a, b, c, d, e]).map { $0 &+ $1 }
    }
    return state.flatMap(big)
  }

  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    sha2(
      bytes, fractions(ofRootsOf: 8, cubic: false).map { UInt32($0 >> 32) },
      fractions(ofRootsOf: 64, cubic: true).map { UInt32($0 >> 32) },
      turns: [[2, 13, 22], [6, 11, 25], [7, 18, 3], [17, 19, 10]])
  }

  static func sha512(_ bytes: [UInt8]) -> [UInt8] {
    sha512(bytes, fractions(ofRootsOf: 8, cubic: false))
  }

  /// FIPS 180-4 sections 5.3.6 and 6.7.
  static func sha512To256(_ bytes: [UInt8]) -> [UInt8] {
    let state = fractions(ofRootsOf: 8, cubic: false).map { $0 ^ 0xA5A5_A5A5_A5A5_A5A5 }
    let own: [UInt64] = Self.words(sha512(Array("SHA-512/256".utf8), state)[...])
    return Array(sha512(bytes, own).prefix(32))
  }

  private static func sha512(_ bytes: [UInt8], _ state: [UInt64]) -> [UInt8] {
    sha2(
      bytes, state, fractions(ofRootsOf: 80, cubic: true),
      turns: [[28, 34, 39], [14, 18, 41], [1, 8, 7], [19, 61, 6]])
  }

  private static func sha2<Word: FixedWidthInteger & UnsignedInteger>(
    _ bytes: [UInt8], _ initial: [Word], _ rounds: [Word], turns: [[Word]]
  ) -> [UInt8] {
    func big(_ kind: Int, _ x: Word) -> Word {
      x.turned(right: turns[kind][0]) ^ x.turned(right: turns[kind][1]) ^ x.turned(right: turns[kind][2])
    }
    func small(_ kind: Int, _ x: Word) -> Word {
      x.turned(right: turns[kind][0]) ^ x.turned(right: turns[kind][1]) ^ (x >> turns[kind][2])
    }
    var state = initial
    for block in blocks(padded(bytes, Word.bitWidth * 2), Word.bitWidth * 2) {
      var words: [Word] = Self.words(block)
      for index in 16..<rounds.count {
        let early = small(2, words[index - 15]) &+ words[index - 16]
        words.append(small(3, words[index - 2]) &+ words[index - 7] &+ early)
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for index in 0..<rounds.count {
        let first = h &+ big(1, e) &+ ((e & f) ^ (~e & g)) &+ rounds[index] &+ words[index]
        let second = big(0, a) &+ ((a & b) ^ (a & c) ^ (b & c))
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
      state = zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
    }
    return state.flatMap { Self.big($0) }
  }

  private static func padded(_ bytes: [UInt8], _ block: Int, isLittle: Bool = false) -> [UInt8] {
    var padded = bytes + [0x80]
    while (padded.count + 8) % block != 0 || padded.count + 8 < bytes.count + 1 + block / 8 {
      padded.append(0)
    }
    let length = big(UInt64(bytes.count) * 8)
    return padded + (isLittle ? length.reversed() : length)
  }

  private static func blocks(_ bytes: [UInt8], _ length: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<$0 + length] }
  }

  private static func words<Word: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> [Word] {
    blocks(Array(bytes), Word.bitWidth / 8).map { $0.reduce(0) { $0 << 8 | Word($1) } }
  }

  private static func big(_ word: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: word.bigEndian) { Array($0) }
  }

  /// The first 64 bits of the fractional parts.
  private static func fractions(ofRootsOf count: Int, cubic: Bool) -> [UInt64] {
    var primes: [UInt32] = []
    var next: UInt32 = 2
    while primes.count < count {
      if primes.allSatisfy({ next % $0 != 0 }) { primes.append(next) }
      next += 1
    }
    return primes.map { fraction(ofRootOf: $0, cubic: cubic) }
  }

  /// Returns the lowest 64 bits of the largest number whose power is at most the prime, both with 64 binary
  /// places.
  private static func fraction(ofRootOf prime: UInt32, cubic: Bool) -> UInt64 {
    let bound = [UInt32](repeating: 0, count: cubic ? 6 : 4) + [prime, 0, 0, 0, 0]
    var root: [UInt32] = [0, 0, 0]
    for bit in (0..<69).reversed() {
      var larger = root
      larger[bit / 32] |= 1 << (bit % 32)
      let square = product(larger, larger)
      let power = cubic ? product(square, larger) : square
      if !isLess(bound, power) { root = larger }
    }
    return UInt64(root[1]) << 32 | UInt64(root[0])
  }

  /// 32-bit digits, the lowest first.
  private static func product(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
    var digits = [UInt32](repeating: 0, count: a.count + b.count)
    for (i, x) in a.enumerated() {
      var carry: UInt64 = 0
      for (j, y) in b.enumerated() {
        carry += UInt64(x) * UInt64(y) + UInt64(digits[i + j])
        digits[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      digits[i + b.count] = UInt32(carry)
    }
    return digits
  }

  private static func isLess(_ a: [UInt32], _ b: [UInt32]) -> Bool {
    for index in (0..<max(a.count, b.count)).reversed() {
      let (x, y) = (index < a.count ? a[index] : 0, index < b.count ? b[index] : 0)
      if x != y { return x < y }
    }
    return false
  }
}

extension FixedWidthInteger {
  fileprivate func turned(right count: Self) -> Self { self >> count | self << (Self(Self.bitWidth) - count) }
}

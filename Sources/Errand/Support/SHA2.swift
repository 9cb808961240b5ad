/// A sum that is taken of bytes as they come.
protocol RunningSum: Sendable {
  mutating func update(_ bytes: UnsafeRawBufferPointer)
  /// The sum of all bytes so far.
  func finished() -> [UInt8]
}

/// SHA-256 as `SHA2<UInt32>`, SHA-512 as `SHA2<UInt64>` (FIPS 180-4).
struct SHA2<Word: SHA2Word>: RunningSum {
  private static var blockLength: Int { Word.bitWidth * 2 }

  private var state: [Word]
  /// The beginning of a block.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  /// Begins a sum.
  ///
  /// - Parameter state: another one than the standard's for the width of a word.
  init(state: [Word] = Word.initialState) { self.state = state }

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
    let lengthBytes = Self.blockLength / 8
    while block.count % Self.blockLength != Self.blockLength - lengthBytes { block.append(0) }
    // The length in bits has twice the width of a word; nothing has more than 64 bits of it.
    block += [UInt8](repeating: 0, count: lengthBytes - 8) + Self.bytes(length << 3)
    block.withUnsafeBytes { Self.mix($0, into: &state) }
    return state.flatMap(Self.bytes)
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Takes in whole blocks.
  private static func mix(_ blocks: UnsafeRawBufferPointer, into state: inout [Word]) {
    withUnsafeTemporaryAllocation(of: Word.self, capacity: Word.roundConstants.count) { words in
      for start in stride(from: 0, to: blocks.count, by: blockLength) {
        for index in 0..<16 {
          let offset = start + index * MemoryLayout<Word>.size
          words[index] = Word(bigEndian: blocks.loadUnaligned(fromByteOffset: offset, as: Word.self))
        }
        for index in 16..<words.count {
          let first = Word.smallSigma0(words[index - 15]) &+ words[index - 16]
          words[index] = first &+ Word.smallSigma1(words[index - 2]) &+ words[index - 7]
        }
        run(words, &state)
      }
    }
  }

  private static func run(_ words: UnsafeMutableBufferPointer<Word>, _ state: inout [Word]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    Word.roundConstants.withUnsafeBufferPointer { constants in
      for index in 0..<words.count {
        let choice = (e & f) ^ (~e & g)
        let first = h &+ Word.sigma1(e) &+ choice &+ constants[index] &+ words[index]
        let second = Word.sigma0(a) &+ ((a & b) ^ (a & c) ^ (b & c))
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }
}

/// What the two kinds differ in: the constants, and by how much words are turned (FIPS 180-4 section 4.1).
protocol SHA2Word: FixedWidthInteger, UnsignedInteger, Sendable {
  static var initialState: [Self] { get }
  static var roundConstants: [Self] { get }
  static func sigma0(_ x: Self) -> Self
  static func sigma1(_ x: Self) -> Self
  static func smallSigma0(_ x: Self) -> Self
  static func smallSigma1(_ x: Self) -> Self
}

extension SHA2Word {
  @inline(__always)
  fileprivate func turned(_ count: Self) -> Self {
    (self &>> count) | (self &<< (Self(Self.bitWidth) &- count))
  }
}

extension UInt32: SHA2Word {
  static let initialState = SHA2Constants.initialState.map { UInt32($0 >> 32) }
  static let roundConstants = SHA2Constants.rounds.prefix(64).map { UInt32($0 >> 32) }
  static func sigma0(_ x: UInt32) -> UInt32 { x.turned(2) ^ x.turned(13) ^ x.turned(22) }
  static func sigma1(_ x: UInt32) -> UInt32 { x.turned(6) ^ x.turned(11) ^ x.turned(25) }
  static func smallSigma0(_ x: UInt32) -> UInt32 { x.turned(7) ^ x.turned(18) ^ (x &>> 3) }
  static func smallSigma1(_ x: UInt32) -> UInt32 { x.turned(17) ^ x.turned(19) ^ (x &>> 10) }
}

extension UInt64: SHA2Word {
  static let initialState = SHA2Constants.initialState
  static let roundConstants = SHA2Constants.rounds
  static func sigma0(_ x: UInt64) -> UInt64 { x.turned(28) ^ x.turned(34) ^ x.turned(39) }
  static func sigma1(_ x: UInt64) -> UInt64 { x.turned(14) ^ x.turned(18) ^ x.turned(41) }
  static func smallSigma0(_ x: UInt64) -> UInt64 { x.turned(1) ^ x.turned(8) ^ (x &>> 7) }
  static func smallSigma1(_ x: UInt64) -> UInt64 { x.turned(19) ^ x.turned(61) ^ (x &>> 6) }
}

/// Those of SHA-512; the first halves of them are those of SHA-256.
private enum SHA2Constants {
  /// The fractions of the square roots of the first 8 primes.
  static let initialState: [UInt64] = [
    0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
  ]
  /// The fractions of the cube roots of the first 80 primes.
  static let rounds: [UInt64] = [
    0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
    0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
    0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
    0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
    0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
    0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
    0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
    0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
    0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
    0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
    0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
    0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
    0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
    0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
    0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
    0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
    0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
    0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
    0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
    0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
  ]
}

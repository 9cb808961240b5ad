/// SHA-512/256 (FIPS 180-4 section 6.7): SHA-512 from another initial state, cut to 32 bytes.
struct SHA512To256: RunningSum {
  // FIPS 180-4 section 5.3.6.2.
  private var sum = SHA2<UInt64>(state: [
    0x2231_2194_FC2B_F72C, 0x9F55_5FA3_C84C_64C2, 0x2393_B86B_6F53_B151, 0x9638_7719_5940_EABD,
    0x9628_3EE2_A88E_FFE3, 0xBE5E_1E25_5386_3992, 0x2B01_99FC_2C85_B8AA, 0x0EB7_2DDC_81C5_2CA2,
  ])

  mutating func update(_ bytes: UnsafeRawBufferPointer) { sum.update(bytes) }

  func finished() -> [UInt8] { Array(sum.finished().prefix(32)) }
}

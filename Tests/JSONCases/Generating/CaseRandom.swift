/// Random numbers that are reproducible from a seed on every platform (SplitMix64).
package struct CaseRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Creates the numbers of a case.
  ///
  /// Neighbouring cases have independent numbers.
  package init(seed: UInt64, index: Int) {
    var mixed = CaseRandom(seed: seed &* 0xD1B5_4A32_D192_ED03 ^ UInt64(bitPattern: Int64(index)))
    state = mixed.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` - 1.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True with a probability of `perMille` in a thousand.
  package mutating func chance(_ perMille: Int) -> Bool { below(1000) < perMille }

  package mutating func one<Choices: RandomAccessCollection>(of choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }
}

import Foundation

/// Random bytes and numbers that are the same in every run (SplitMix64).
struct SeededBytes: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  mutating func bytes(upTo limit: Int) -> [UInt8] {
    (0..<below(limit + 1)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// Text of characters of `alphabet`.
  mutating func text(_ length: Int, of alphabet: String) -> String {
    let characters = Array(alphabet)
    return String((0..<length).map { _ in characters[below(characters.count)] })
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

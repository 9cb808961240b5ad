/// SplitMix64: the same numbers from a seed on every platform.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// In 0..<limit.
  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  /// ASCII letters, special characters of URLs and JSON, controls, and other Unicode.
  mutating func text(upTo length: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<below(length + 1) { scalars.append(scalar()) }
    return String(scalars)
  }

  mutating func text(_ length: Int, of alphabet: String) -> String {
    let characters = Array(alphabet)
    return String((0..<length).map { _ in characters[below(characters.count)] })
  }

  mutating func bytes(upTo limit: Int) -> [UInt8] {
    (0..<below(limit + 1)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  private mutating func scalar() -> Unicode.Scalar {
    switch below(8) {
    case 0...2: Unicode.Scalar(UInt8(0x61 + below(26)))
    case 3: Unicode.Scalar(UInt8(below(0x21)))
    case 4, 5: Self.delimiters[below(Self.delimiters.count)]
    case 6: Self.foreign[below(Self.foreign.count)]
    default: Unicode.Scalar(UInt32(below(0x11_0000))) ?? "\u{FFFF}"
    }
  }

  private static let delimiters = Array("%&=+?#/:@[]{}\"\\;,.<>|^`~!$'()* \r\n\u{7F}0189AF".unicodeScalars)
  private static let foreign = Array(
    "éß中\u{301}\u{200B}\u{202E}\u{FEFF}\u{FFFD}😀𝄞\u{2028}\u{3000}".unicodeScalars)
}

import Foundation
import Testing

@testable import Errand

@Suite("Printed text and its lines")
struct PrintedTextTests {
  @Test("Line ends are those of Character, found by bytes")
  func breaks() {
    #expect("".lines == [""] && "a".lines == ["a"] && "\n".lines == ["", ""])
    #expect(
      "a\r\nb\rc\n\u{B}d\u{C}e\u{85}f\u{2028}g\u{2029}".lines == ["a", "b", "c", "", "d", "e", "f", "g", ""])
    #expect("\u{C2A9}\u{E2}\u{2027}\u{A9}".lines == ["\u{C2A9}\u{E2}\u{2027}\u{A9}"])
    let pieces = [
      "a", "é", "\u{301}", "\u{200D}", "👩‍💻", "\r", "\n", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}",
      "\u{2029}",
      "\u{2027}", "\u{A9}", " ",
    ]
    var random = SeededGenerator(seed: 24)
    for _ in 0..<2_000 {
      let text = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
      let expected = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(
        String.init)
      #expect(text.lines == expected, "\(text.debugDescription)")
    }
  }

  @Test("Text without escapes is unchanged, for any letters")
  func printed() {
    for text in ["", "plain ASCII\tand\nlines", "é 👩‍💻 \u{FE0F}"] { #expect(text.printed == text) }
    #expect("a\u{1B}b\u{7F}c\rd".printed == "a\\u{1B}b\\u{7F}c\\u{D}d")
    #expect("é\u{202E}x\u{85}".printed == "é\\u{202E}x\\u{85}")
  }
}

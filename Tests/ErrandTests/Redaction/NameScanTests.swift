import Foundation
import Testing

@testable import Errand

@Suite("Names are judged in a single pass over their bytes, equal to their words")
struct NameScanTests {
  private static let words = [
    "apikey", "accesskey", "privatekey", "authkey", "token", "secret", "password", "passwd", "passphrase",
    "credential", "signature", "session", "sessid", "authorization",
  ]

  /// A literal implementation of the documentation of ``Redaction``.
  private static func looksSecret(_ name: some StringProtocol) -> Bool {
    let text = SecretName(name).text
    return ["cookie", "setcookie", "jwt", "pwd", "pass"].contains(text) || text.hasSuffix("auth")
      || words.contains { text.contains($0) }
  }

  private static func isHidden(_ name: String) -> Bool {
    let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }
    return looksSecret(name) || parts.contains { looksSecret($0) }
  }

  @Test("Any name is judged as by the list of words")
  func random() {
    var random = SeededGenerator(seed: 31)
    let pieces =
      Self.words + [
        "cookie", "set-cookie", "jwt", "pwd", "pass", "auth", "a", "to", "ken", "pass", "word", "sess",
        "TOKEN", "Key",
        "api", "1", "é", "_", "-", ".", "[", "]", " ", "\u{212A}", "o\u{17F}",
      ]
    for _ in 0..<20_000 {
      let name = (0..<(1 + random.below(4))).map { _ in
        let piece = random.pick(pieces)
        return random.below(3) == 0 ? String(piece.dropFirst(random.below(2))) : piece
      }.joined()
      #expect(Redaction.standard.hides(name, in: .field) == Self.isHidden(name), "\(name)")
    }
  }

  @Test(
    "Custom names match in any letter case, in parts, and in any script",
    arguments: [
      ("X-Pin", true), ("xpin", true), ("user[x_pin]", true), ("a.X_PIN", true), ("a.X.PIN", false),
      ("xpins", false),
      ("größe", true),
      ("GRÖSSE", false), ("GRÖßE", true), ("user[größe]", true), ("--", true), ("-", false), ("grö", false),
    ])
  func given(name: String, isHidden: Bool) {
    let redaction = Redaction.none.hiding(fields: ["x-pin", "Größe", "--"])
    #expect(redaction.hides(name, in: .field) == isHidden)
    #expect(!redaction.hides(name, in: .header))
    #expect(redaction.text("\(name)=x").contains("<redacted>") == isHidden)
  }
}

import Testing

@testable import Errand

@Suite("A media type") struct MediaTypeTests {
  @Test(
    "The charset is parsed, quoted or not, in any letter case",
    arguments: [
      ("text/html;charset=utf-8", "utf-8"), ("text/html; CHARSET=\"UTF-8\"", "UTF-8"),
      ("text/html;;; ;x=y; charset=a;charset=b", "a"), ("text/html; x=\"a;charset=b\"; charset=c", "c"),
      ("text/html; charset=\"a\\\"b\"", "a\"b"), ("text/html; broken; charset=x", "x"),
      ("text/html; =; charset=x", "x"), ("text/html ; charset = x; charset=y", "y"),
      ("text/html; charset=\"open", nil), ("text/html; charset=", nil), ("text/html", nil),
    ] as [(String, String?)])
  func charset(text: String, charset: String?) {
    #expect(MediaType(text)?["charset"] == charset)
  }

  @Test(
    "A text without a type and a subtype is nil",
    arguments: ["", "/", "text", "text/", "/html", "a b/c", "a/b c"])
  func none(text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test("JSON is recognized by subtype or suffix")
  func json() {
    for text in ["application/json", "text/json", "application/problem+json", "APPLICATION/VND.API+JSON;v=1"]
    {
      #expect(MediaType(text)?.isJSON == true)
    }
    #expect(MediaType("application/jsonx")?.isJSON == false)
  }

  @Test("Any text is read without a crash, and written types round-trip")
  func random() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<5000 {
      let text =
        random.below(2) == 0
        ? HTTPHeaders.decode(random.bytes(upTo: 40))
        : random.text(random.below(30), of: "ab/;= \"\\*+,\t\u{e9}")
      guard let media = MediaType(text) else { continue }
      #expect(MediaType(media.description) == MediaType(media.description.uppercased()))
      #expect(media.parameters.allSatisfy { !$0.name.isEmpty })
    }
  }
}

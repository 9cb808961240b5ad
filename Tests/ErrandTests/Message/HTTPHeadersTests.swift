import Foundation
import Testing

@testable import Errand

@Suite("HTTP headers")
struct HTTPHeadersTests {
  @Test("Order and duplicates are kept, and names compare in any letter case")
  func fields() {
    var headers: HTTPHeaders = ["B": "1", "a": "2", "b": "3"]
    #expect(headers["b"] == "1, 3" && headers.values(for: "B") == ["1", "3"])
    #expect(headers.contains("A") && !headers.contains("C") && headers["C"] == nil)
    headers.add("A", "4")
    #expect(headers.fields.map(\.name) == ["B", "a", "b", "A"])
  }

  @Test("Setting replaces all fields of a name in the place of the first")
  func setting() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    headers["a"] = "4"
    #expect(headers == ["A": "4", "B": "2"])
    headers["C"] = ""
    #expect(headers == ["A": "4", "B": "2", "C": ""] && headers.contains("c"))
    headers["b"] = nil
    #expect(headers == ["A": "4", "C": ""])
  }

  @Test("Only ASCII letters have a case")
  func folding() {
    #expect(HTTPHeaders.same("X-É", "x-É") && !HTTPHeaders.same("É", "é"))
    #expect(!HTTPHeaders.same("[", "{") && !HTTPHeaders.same("@", "`") && !HTTPHeaders.same("a", "ab"))
  }

  @Test("Equal headers have equal hashes, for any letter case of their names")
  func hashing() {
    let (a, b): (HTTPHeaders, HTTPHeaders) = (["X-A": "1"], ["x-a": "1"])
    #expect(a == b && a.hashValue == b.hashValue && a != ["X-A": "1", "Y": "2"] && a != ["x-a": "2"])
  }

  @Test(
    "Bytes are decoded as UTF-8 if valid, otherwise as ISO-8859-1",
    arguments: [
      ([0x61, 0xC3, 0xA9], "aé"), ([0x61, 0xE9], "aé"), ([0xC3], "Ã"), ([], ""),
      ([0xEF, 0xBB, 0xBF, 0x61], "\u{FEFF}a"), ([0xEF, 0xBF, 0xBD], "\u{FFFD}"),
      ([0xED, 0xA0, 0x80], "í\u{A0}\u{80}"),
    ] as [([UInt8], String)])
  func decoding(_ bytes: [UInt8], _ text: String) {
    #expect(HTTPHeaders.decode(bytes).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(
    "Forbidden fields are named",
    arguments: [
      ("", "x", #"the header name "" is not a token"#),
      ("a b", "x", #"the header name "a…" is not a token"#),
      ("a:", "x", #"the header name "a…" is not a token"#),
      ("é", "x", #"the header name "…" is not a token"#),
      ("a\r\nb", "x", #"the header name "a…" is not a token"#),
      ("A", "x\r\ny", "the value of the header A contains a line break or a NUL"),
      ("A", "x\ny", "the value of the header A contains a line break or a NUL"),
      ("A", "\r", "the value of the header A contains a line break or a NUL"),
      ("A", "x\0", "the value of the header A contains a line break or a NUL"),
      ("content-LENGTH", "1", "the header content-LENGTH frames the message and cannot be set"),
      ("Transfer-Encoding", "chunked", "the header Transfer-Encoding frames the message and cannot be set"),
      ("host", "h", "the header host frames the message and cannot be set"),
    ])
  func problems(_ name: String, _ value: String, _ problem: String) {
    let headers = HTTPHeaders([.init(name: "Fine", value: "é"), .init(name: name, value: value)])
    #expect(headers.problem == problem)
  }

  @Test("A field checked once at its position is not checked again, and no other field passes instead")
  func judgedBefore() {
    let judged = HTTPHeaders([.init(name: "X-K", value: "1"), .init(name: "B", value: "2")])
    #expect(judged.problem(skippingFieldsEqualTo: judged) == nil)
    var changed = judged
    changed.fields[0].name = "X-\u{212A}"
    #expect(changed.fields[0].name == "X-K")
    #expect(changed.problem(skippingFieldsEqualTo: judged) == "the header name \"X-…\" is not a token")
    changed = judged
    changed.fields[1].value = "2\n"
    #expect(
      changed.problem(skippingFieldsEqualTo: judged)
        == "the value of the header B contains a line break or a NUL")
    changed = judged
    changed.add("Host", "h")
    #expect(
      changed.problem(skippingFieldsEqualTo: judged) == "the header Host frames the message and cannot be set"
    )
  }

  @Test("Every token and every valid value can be sent")
  func noProblem() {
    #expect((["!#$%&'*+-.^_`|~09azAZ": "é\t\u{7F}", "Content-Type": ""] as HTTPHeaders).problem == nil)
  }
}

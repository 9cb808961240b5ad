import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("An app's own XML serializer")
struct XMLResponseTests {
  static func read(_ text: String) async throws -> XMLElements {
    let agent = RequestAgent.mocked(
      Stub(.get, "/feed.xml", answers: .data(Data(text.utf8), contentType: "application/xml")))
    return try await agent.send(OneOffRequest("feed.xml", response: XMLResponse()))
  }

  static func reason(_ text: String) async -> String? {
    let error = await #expect(throws: RequestError.self) { try await read(text) }
    #expect(error?.kind == .decoding)
    return error?.reason
  }

  @Test("Elements have names, attributes, texts and children in document order")
  func elements() async throws {
    let feed = try await Self.read(
      """
      <?xml version="1.0"?>
      <feed lang="en"><entry id="1"><title>A &amp; B</title></entry><entry id="2"><title><![CDATA[<C>]]></title></entry></feed>
      """)
    #expect(feed.name == "feed" && feed.attributes == ["lang": "en"])
    #expect(feed.children.map { $0.attributes["id"] } == ["1", "2"])
    #expect(feed.children.map { $0["title"]?.text } == ["A & B", "<C>"])
    #expect(feed["entry"]?["title"]?.text == "A & B" && feed["none"] == nil)
  }

  @Test("Text that is not XML, and truncated XML, are errors with a position")
  func broken() async {
    #expect(await Self.reason("")?.hasPrefix("the body is not XML") == true)
    #expect(await Self.reason("{\"a\": 1}")?.hasPrefix("the body is not XML: line 1, column ") == true)
    #expect(await Self.reason("<a>\n<b></a>")?.hasPrefix("the body is not XML: line 2, column ") == true)
  }

  @Test("100 levels are read, and 101 levels are refused")
  func levels() async throws {
    func nested(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    #expect(try await Self.read(nested(100)).name == "a")
    #expect(await Self.reason(nested(101)) == "the XML is refused: it has more than 100 levels")
  }

  @Test("A document with entity declarations is refused, for internal and external entities")
  func entities() async {
    let text = await Self.reason("<!DOCTYPE a [<!ENTITY lol \"lol\"><!ENTITY b \"&lol;&lol;\">]><a>&b;</a>")
    #expect(text == "the XML is refused: it declares entities")
    let file = await Self.reason("<!DOCTYPE a [<!ENTITY f SYSTEM \"file:///etc/hostname\">]><a>&f;</a>")
    #expect(file == "the XML is refused: it declares entities")
  }
}

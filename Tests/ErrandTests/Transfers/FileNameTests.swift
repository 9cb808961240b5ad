import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Sanitized file names from servers")
struct FileNameTests {
  private static func proposed(_ disposition: String?, _ url: String = "https://h/dir/a%20b.csv?x=1")
    -> String
  {
    var headers: HTTPHeaders = [:]
    headers["Content-Disposition"] = disposition
    return FileName.proposed(by: HTTPResponse(headers: headers, url: URL(string: url)))
  }

  @Test(
    "Content-Disposition gives the name, without unsafe characters",
    arguments: [
      (#"attachment; filename="report 7.csv""#, "report 7.csv"), ("attachment; filename=x.txt", "x.txt"),
      (#"attachment; FileName*=UTF-8''na%C3%AFve%20%E2%82%AC.txt; filename="x""#, "naïve €.txt"),
      (#"attachment; filename*=iso-8859-1'en'%A3.txt"#, "£.txt"),
      (#"attachment; filename*=UTF-8''%FF; filename=plain.txt"#, "plain.txt"),
      (#"attachment; filename="a\"b\\c.txt""#, "c.txt"),
      (#"attachment; filename="../../etc/passwd""#, "passwd"),
      (#"attachment; filename="..""#, "a b.csv"), (#"attachment; filename=".bashrc""#, "bashrc"),
      (#"attachment; filename="C:\\Users\\x.exe""#, "x.exe"),
      (#"attachment; filename*=UTF-8''a%2F..%2Fb"#, "b"),
      (#"attachment; filename*=UTF-8''gpj%E2%80%AEexe.txt%00%0A"#, "gpjexe.txt"),
      (#"attachment; filename="a:b?.txt""#, "a_b_.txt"), ("attachment", "a b.csv"),
      (#"attachment; filename="""#, "a b.csv"),
      ("\"", "a b.csv"),
    ])
  func dispositions(field: String, name: String) {
    #expect(Self.proposed(field) == name)
  }

  @Test(
    "Without Content-Disposition the name is the last part of the URL",
    arguments: [
      ("https://h/a/b.txt", "b.txt"), ("https://h/", "download"), ("https://h", "download"),
      ("https://h/a/%2e%2e", "download"), ("https://h/x%2F..%2Fy", "y"), ("https://h/%00%01", "download"),
    ])
  func urls(url: String, name: String) {
    #expect(Self.proposed(nil, url) == name)
  }

  @Test(
    "A combining mark or a joiner after a slash or a dot hides neither",
    arguments: [
      ("%2F%E2%80%8D..%2F%E2%80%8D..%2F%E2%80%8Dpwned", "pwned"), ("..%2F%CC%81..%2F%CC%81pwned", "pwned"),
      ("..%5C%E2%80%8Dpwned", "pwned"), (".%CC%81bashrc", "bashrc"), (".%EF%B8%8Fhidden", "hidden"),
      ("%CC%81.%CC%81.a", "a"), ("..%CC%81", "a b.csv"), ("%E2%80%8D%2F%E2%80%8D", "a b.csv"),
    ])
  func marks(coded: String, name: String) {
    #expect(Self.proposed("attachment; filename*=UTF-8''" + coded) == name)
    #expect(Self.proposed(nil, "https://h/" + coded) == (name == "a b.csv" ? "download" : name))
  }

  @Test("Any proposed name has no slash and no leading dot in its bytes")
  func generated() {
    let scalars: [Unicode.Scalar] = [
      "/", "\\", ".", " ", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{0}", "\u{2044}", "\u{20DD}", "\u{1F468}",
      "a", "\r", "\n",
      "\u{202E}", "\u{E0001}", "\u{903}", "\u{1100}", "\u{1161}", "\u{600}",
    ]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<random.below(12) { text.append(scalars[random.below(scalars.count)]) }
      let coded = String(text).utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined()
      let name = Self.proposed("attachment; filename*=UTF-8''" + coded)
      let bytes = Array(name.utf8)
      #expect(
        !bytes.isEmpty && !bytes.contains(0x2F) && !bytes.contains(0x5C) && !bytes.contains(0)
          && bytes.first != 0x2E)
    }
  }

  @Test("The name has the length limit of file systems, and keeps its extension")
  func long() {
    let name = Self.proposed(
      "attachment; filename*=UTF-8''" + String(repeating: "%C3%A4", count: 300) + ".csv")
    #expect(name == String(repeating: "ä", count: 125) + ".csv")
    #expect(FileName.numbered(name, with: 12) == String(repeating: "ä", count: 123) + " (12).csv")
    #expect(FileName.numbered("archive", with: 2) == "archive (2)")
  }

  @Test("An existing file in the directory is not replaced")
  func numbered() async throws {
    let directory = TemporaryDirectory()
    let agent = RequestAgent.mocked(
      by: MockTransport([
        Stub(nil, "*", answers: .text("abc").header("Content-Disposition", "attachment; filename=a.txt"))
      ]))
    for _ in 0..<3 { try await agent.download(.get("x"), to: directory.url) }
    let file = try await agent.download(.get("x"), to: directory.url.appendingPathComponent("new/"))
    #expect(file.url.lastPathComponent == "a.txt")
    #expect(try directory.files == ["a (2).txt", "a (3).txt", "a.txt", "new", "new/a.txt"])
  }
}

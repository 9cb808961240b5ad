import Foundation
import Testing

@testable import Errand

@Suite("The Link header")
struct LinkHeaderTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let values: [String]
    let target: String?
    var relation = "next"
    var testDescription: String { name }

    init(_ name: String, _ values: String..., target: String?, relation: String = "next") {
      (self.name, self.values, self.target, self.relation) = (name, values, target, relation)
    }
  }

  static let rows = [
    Row("quoted", #"<https://a.example/2>; rel="next""#, target: "https://a.example/2"),
    Row("a token", "</2>;rel=next", target: "/2"),
    Row("among others", #"</1>; rel="prev", </3>; rel="next", </9>; rel="last""#, target: "/3"),
    Row("in a second field", #"</1>; rel="prev""#, #"</3>; rel="next""#, target: "/3"),
    Row("several relations", #"</2>; rel="last next""#, target: "/2"),
    Row("tabs and many blanks between relations", "</2>; rel=\" last \t  next \"", target: "/2"),
    Row("in any case", #"</2>; REL="Next""#, target: "/2"),
    Row("a relation that contains it", #"</2>; rel="nextish""#, target: nil),
    Row("a relation of a URI", #"</2>; rel="http://r.example/#next""#, target: nil),
    Row("another relation asked for", #"</2>; rel=next, </0>; rel=older"#, target: "/0", relation: "OLDER"),
    Row("the first of two", "</2>; rel=next, </3>; rel=next", target: "/2"),
    Row("the first rel of two", "</2>; rel=prev; rel=next", target: nil),
    Row("rev is not rel", #"</2>; rev="next""#, target: nil),
    Row("no relation", "</2>", target: nil),
    Row("an empty relation", #"</2>; rel="""#, target: nil),
    Row("a comma and a semicolon in the target", "</a,b;c>; rel=next", target: "/a,b;c"),
    Row(
      "a comma and a bracket in quotes", #"</1>; title="a, <b>; rel=next"; rel=prev, </2>; rel=next"#,
      target: "/2"),
    Row("an escaped quote", #"</1>; title="a\", </x>; rel=next"; rel="next""#, target: "/1"),
    Row("blanks everywhere", "  </2>  ;  rel  =  \"next\"  ,  ", target: "/2"),
    Row("empty elements", ", ,, </2>; rel=next,,", target: "/2"),
    Row("parameters without a value", "</2>; crossorigin; rel=next", target: "/2"),
    Row("empty parameters", "</2>;;; rel=next;", target: "/2"),
    Row("a star parameter", "</2>; title*=UTF-8''n%c3%a4; rel=next", target: "/2"),
    Row("junk behind a quoted value", #"</1>; rel="prev"junk; x, </2>; rel=next"#, target: "/2"),
    Row("a quote that is not closed", #"</1>; rel="next"#, target: "/1"),
    Row("a bracket that is not closed", "</1; rel=next", target: nil),
    Row("no bracket", "/1; rel=next", target: nil),
    Row("an empty target", "<>; rel=next", target: ""),
    Row("empty", "", target: nil),
    Row("its own anchor", #"</2>; rel=next; anchor="/users?page=1""#, target: "/2"),
    Row("an empty anchor", #"</2>; rel=next; anchor="""#, target: "/2"),
    Row("the anchor of a part", ##"</2>; rel=next; anchor="#part""##, target: nil),
    Row("the anchor of another", #"</2>; rel=next; anchor="/other", </3>; rel=next"#, target: "/3"),
    Row(
      "the anchor of another host", #"</2>; anchor="https://b.example/users?page=1"; rel=next"#, target: nil),
  ]

  @Test("The next page is found according to RFC 8288", arguments: rows)
  func target(_ row: Row) throws {
    let url = try #require(URL(string: "https://a.example/users?page=1"))
    let headers = HTTPHeaders(row.values.map { HTTPHeaders.Field(name: "link", value: $0) })
    #expect(LinkHeader(headers).target(of: row.relation, from: url) == row.target)
  }

  @Test("No header crashes the parser, and parsing takes linear time")
  func hostile() throws {
    let url = try #require(URL(string: "https://a.example/"))
    var random = SeededGenerator(seed: 8288)
    for _ in 0..<1_000 {
      let text = random.text(40, of: "<>;,=\"\\ \trelnextanchor#/é\u{0}*'")
      _ = LinkHeader(["Link": text]).target(of: "next", from: url)
      _ = LinkHeader(["Link": random.text(upTo: 40)]).target(of: "next", from: url)
    }
    for piece in ["<", "<>,", "<>;", "\"", "<>;rel=\"", "<>;a=\"\\", ",", ";"] {
      let header = LinkHeader(["Link": String(repeating: piece, count: 50_000)])
      #expect(header.target(of: "next", from: url) == nil)
    }
  }
}

#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: header lines that repeat")
struct CurlRepeatedLinesTests {
  /// Heads that follow each other, with or without shared lines.
  private static func headers(of heads: [[String]], sharing: Bool) throws -> [HTTPHeaders] {
    let repeated = sharing ? RepeatedLines() : nil
    return try heads.map { lines in
      var parser = CurlHeadParser(repeated: repeated)
      for line in ["HTTP/1.1 200 OK"] + lines + [""] {
        _ = try Array("\(line)\r\n".utf8).withUnsafeBytes { try parser.take($0) }
      }
      return parser.headers
    }
  }

  private static func lines(_ headers: HTTPHeaders) -> [String] {
    headers.fields.map { "\($0.name)=\($0.value)" }
  }

  @Test("Equal, changed, moved, missing and added lines give the fields of each head")
  func changes() throws {
    let heads = [
      ["Server: a", "Date: 1", "Content-Length: 5", "Set-Cookie: a=1"],
      ["Server: a", "Date: 2", "Content-Length: 5", "Set-Cookie: a=1"],
      ["Date: 2", "Server: a", "content-length: 5"],
      ["Date: 2"],
      ["Date: 2", "Server: b", "Content-Length: 5", "X: 1", "Y: 2"],
    ]
    let found = try Self.headers(of: heads, sharing: true).map(Self.lines)
    #expect(found == heads.map { $0.map { $0.replacingOccurrences(of: ": ", with: "=") } })
  }

  @Test("Lines behind a cookie or a long line are kept, and the cookie and the long line are not")
  func gap() throws {
    let repeated = RepeatedLines()
    let long = "X: " + String(repeating: "v", count: 128)
    let lines = ["Set-Cookie: a=1", "Server: b", long, "A: 1"]
    for (index, line) in lines.enumerated() {
      let field = HTTPHeaders.Field(name: String(line.prefix { $0 != ":" }), value: "v\(index)")
      Array(line.utf8).withUnsafeBytes { repeated.keep(field, of: $0, at: index) }
    }
    let values = lines.enumerated().map { index, line in
      Array(line.utf8).withUnsafeBytes { repeated.field(at: index, equalTo: $0)?.value }
    }
    #expect(values == [nil, "v1", nil, "v3"])
  }

  @Test("A Content-Length with a sign is not a number, also for zero", arguments: ["-0", "+5", "-5", "0x5"])
  func signedLength(_ length: String) throws {
    let error = #expect(throws: TransportError.self) {
      try Self.headers(of: [["Content-Length: \(length)"]], sharing: false)
    }
    #expect(error?.description == "the response's Content-Length is not a number: \(length)")
  }

  @Test("A folded line changes only the field of its own head")
  func folding() throws {
    let heads = [["A: 1", " 2"], ["A: 1"], ["A: 1", "\t3", "B: 4"], ["A: 1", "B: 4"]]
    let found = try Self.headers(of: heads, sharing: true).map(Self.lines)
    #expect(found == [["A=1 2"], ["A=1"], ["A=1 3", "B=4"], ["A=1", "B=4"]])
  }

  @Test("A line with a leading blank continues a dropped field, even if an earlier head began with the line")
  func blankStart() throws {
    let heads = [[" A: 1"], ["X Y: 2", " A: 1", "B: 3"], [" A: 1", "B: 3"]]
    let found = try Self.headers(of: heads, sharing: true).map(Self.lines)
    #expect(found == [["A=1"], ["B=3"], ["A=1", "B=3"]])
  }

  @Test("Heads with many and long lines are the same with and without sharing")
  func limits() throws {
    var generator = SeededGenerator(seed: 7)
    let names = ["A", "Content-Type", " B", "X Y", "Set-Cookie", "C ", "", "Transfer-Encoding-Not", "é"]
    let heads = (0..<400).map { _ in
      (0..<generator.below(40)).map { _ in
        let length = generator.below(20) == 0 ? 100 + generator.below(40) : 1
        return "\(generator.pick(names)): \(String(repeating: "v", count: length))"
      }
    }
    let shared = try Self.headers(of: heads, sharing: true).map(Self.lines)
    #expect(shared == (try Self.headers(of: heads, sharing: false).map(Self.lines)))
  }

  @Test("A value that is not UTF-8 keeps its bytes in each head")
  func foreignBytes() throws {
    let repeated = RepeatedLines()
    for _ in 0..<2 {
      var parser = CurlHeadParser(repeated: repeated)
      for line in [Array("HTTP/1.1 200 OK\r\n".utf8), Array("D: caf".utf8) + [0xE9, 0x0D, 0x0A]] {
        _ = try line.withUnsafeBytes { try parser.take($0) }
      }
      #expect(parser.headers.fields.map(\.value) == ["café"])
      #expect(parser.headers.fields.map(\.foreignBytes) == [Array("caf".utf8) + [0xE9]])
    }
  }

  @Test("The framing of a repeated head is checked again")
  func framing() {
    let head = ["Transfer-Encoding: chunked", "Content-Length: 5"]
    for heads in [[head], [["Transfer-Encoding: chunked"], head], [["A: 1", "Content-Length: 5"], head]] {
      let error = #expect(throws: TransportError.self) { try Self.headers(of: heads, sharing: true) }
      #expect(error?.message == "the response has both Transfer-Encoding and Content-Length")
    }
  }
}

@Suite("Curl: the header list of a request")
struct CurlHeaderListTests {
  private static func list(_ headers: HTTPHeaders) -> CurlHeaderList {
    CurlHeaderList(headers, upload: .none, expectsContinue: false)
  }

  @Test(
    "A list is shared only by headers of the same bytes",
    arguments: [
      (["A": "1", "B": "2"], true), (["A": "1"], false), (["A": "1", "B": "3"], false),
      (["B": "2", "A": "1"], false), (["a": "1", "B": "2"], false), (["A": "1", "B": "2", "C": "3"], false),
    ] as [(HTTPHeaders, Bool)])
  func sharing(_ headers: HTTPHeaders, _ isShared: Bool) {
    #expect(Self.list(["A": "1", "B": "2"]).isOf(headers) == isShared)
  }

  @Test("Equivalent text of other bytes, and values that are not UTF-8, share no list")
  func bytes() {
    #expect(!Self.list(["A": "\u{E9}b"]).isOf(["A": "e\u{301}b"]))
    #expect(Self.list(["A": "\u{E9}b"]).isOf(["A": "\u{E9}b"]))
    let foreign = HTTPHeaders([HTTPHeaders.Field(name: "A", received: [0xE9])])
    #expect(!Self.list(foreign).isOf(foreign))
    #expect(!Self.list(foreign).isOf(["A": "\u{E9}"]))
  }
}
#endif

import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("errand-har")
struct HARCommandTests {
  let folder = RecordingFolder()
  typealias Folder = RecordingFolder

  private static func run(_ arguments: String...) -> (code: Int32, lines: [String]) {
    var lines: [String] = []
    let code = HARCommand.run(arguments) { lines.append($0) }
    return (code, lines)
  }

  /// Two exchanges in the form of a browser's recording, the first with a time and secrets.
  private static let leaky = #"""
    {"log":{"pages":[{"id":"p"}],"entries":[
    {"startedDateTime":"2026-11-21T10:00:00Z","time":12,"_initiator":{},
     "request":{"method":"POST","url":"https://h/b?access_token=s3cret-one&x=1",
      "headers":[{"name":"Authorization","value":"Bearer s3cret-two"}],"cookies":[{"name":"sid","value":"s3cret-three"}],
      "postData":{"mimeType":"application/json","text":"{\"password\":\"s3cret-four\"}"}},
     "response":{"status":200,"headers":[{"name":"set-cookie","value":"sid=s3cret-five"},{"name":"content-type","value":"application/json"}],
      "content":{"size":29,"mimeType":"application/json","text":"{\"token\":\"s3cret-six\",\"id\":7}"}}},
    {"request":{"method":"GET","url":"https://h/a"},"response":{"status":204,"headers":[]}}]}}
    """#

  @Test("list prints every exchange with redacted secrets")
  func list() throws {
    let file = try folder.write(Self.leaky)
    let (code, lines) = Self.run("list", file.path)
    #expect(code == 0)
    #expect(
      lines == [
        "entry 1, POST https://h/b?access_token=<redacted>&x=1, 200 OK, 29 bytes of application/json",
        "entry 2, GET https://h/a, 204 No Content, 0 bytes",
      ])
  }

  @Test("check names the problems, and exits with 1")
  func check() throws {
    let file = try folder.write(
      #"""
      {"log":{"entries":[
      {"request":{"method":"GET","url":"https://h/base64"},"response":{"status":200,"content":{"text":"%%%","encoding":"base64"}}},
      {"request":{"method":"GET","url":"https://h/gone"},"response":{"status":200,"content":{"size":7}}},
      {"request":{"method":"GET","url":"https://h/failed"},"response":{"status":0,"_error":"net::ERR_FAILED"}},
      {"request":{"method":"","url":"no url"},"response":{"status":200}}]}}
      """#)
    let (code, lines) = Self.run("check", file.path)
    #expect(code == 1)
    #expect(
      lines == [
        "entry 1, GET https://h/base64: the body is not base64",
        "entry 2, GET https://h/gone: the body was not recorded",
        "entry 3, GET https://h/failed: there is no answer", "entry 4,  no%20url: the URL is invalid",
        "entry 4,  no%20url: there is no method", "5 problems",
      ])
    let leaks = Self.run("check", try folder.write(Self.leaky).path)
    #expect(leaks.code == 1)
    #expect(
      leaks.lines == [
        "entry 1, POST https://h/b?access_token=<redacted>&x=1: secrets are visible: the URL, "
          + "Authorization of the request, the request's body, set-cookie of the response, the body",
        "1 problem",
      ])
  }

  @Test("A cleaned file has no secrets and no times, is sorted, is stable, and can be replayed")
  func clean() async throws {
    let file = try folder.write(Self.leaky)
    let cleaned = folder.file("clean.har")
    #expect(
      Self.run("clean", file.path, "--output", cleaned.path) == (0, ["2 entries written to \(cleaned.path)"]))
    #expect(try folder.text() == Self.leaky)
    let text = try folder.text("clean.har")
    #expect(!text.contains("s3cret") && !text.contains("2026") && !text.contains("_initiator"))
    #expect(Self.run("check", cleaned.path) == (0, ["no problems in 2 entries"]))
    #expect(Self.run("list", cleaned.path).lines.map { $0.prefix(12) } == ["entry 1, GET", "entry 2, POS"])
    #expect(Self.run("clean", cleaned.path).code == 0)
    #expect(try folder.text("clean.har") == text)
    let transport = try RecordingTransport(cleaned)
    #expect(
      try await transport.line(.post, "https://h/b?x=1&access_token=other")
        == #"200 {"token":"<redacted>","id":7}"#)
  }

  @Test("Exchanges without a response are kept, or dropped on demand")
  func unanswered() throws {
    let file = try folder.write(
      #"""
      {"log":{"entries":[
      {"request":{"method":"GET","url":"https://h/failed"},"response":{"status":0,"_error":"net::ERR_FAILED"}},
      {"request":{"method":"GET","url":"https://h/a"},"response":{"status":204,"headers":[]}}]}}
      """#)
    #expect(
      Self.run("clean", file.path) == (
        0,
        [
          "2 entries written to \(file.path); without an answer: 1 (--drop-unanswered removes such entries)"
        ]
      ))
    #expect(Self.run("check", file.path).code == 1)
    #expect(
      Self.run("clean", "--drop-unanswered", file.path)
        == (0, ["1 entry written to \(file.path); without an answer, removed: 1"]))
    #expect(Self.run("check", file.path) == (0, ["no problems in 1 entry"]))
  }

  @Test("A JSON Web Token is a secret under any name, and similar text is not")
  func tokens() throws {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl-_x"
    func entry(_ note: String) -> String {
      #"""
      {"log":{"entries":[{"request":{"method":"GET","url":"https://h/a","headers":[{"name":"X-Note","value":"\#(note)"}]},
      "response":{"status":200,"headers":[{"name":"content-type","value":"application/json"}],
      "content":{"size":29,"mimeType":"application/json","text":"{\"note\":\"\#(note)\"}"}}}]}}
      """#
    }
    let file = try folder.write(entry(token))
    #expect(
      Self.run("check", file.path) == (
        1,
        [
          "entry 1, GET https://h/a: secrets are visible: X-Note of the request, the body", "1 problem",
        ]
      ))
    #expect(Self.run("clean", file.path).code == 0)
    let text = try folder.text()
    #expect(!text.contains("eyJ") && text.contains(#"{\"note\":\"<redacted>\"}"#), "\(text)")
    #expect(Self.run("check", file.path).code == 0)
    #expect(Self.run("check", try folder.write(entry("The token is \(token).")).path).code == 1)
    for harmless in [
      "eyJ.a.b", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.e30", "1.2.3", "a.eyJhIjoxfQ.c",
    ] {
      #expect(Self.run("check", try folder.write(entry(harmless)).path).code == 0, "\(harmless)")
    }
  }

  @Test("Errand's own recordings are already clean")
  func recorded() async throws {
    let server = MockTransport { _ in
      .json(#"{"access_token":"s3cret","expires_in":3600,"list":[1.50,true,null]}"#).header(
        "Set-Cookie", "a=b")
    }
    try await RecordingTransport.record(folder.file(), over: server) { transport in
      try await transport.answer(
        .post, "https://h/token?api_key=s3cret", headers: ["Authorization": "Basic s3cret"],
        body: .data(
          Data("grant_type=password&password=s3cret".utf8), contentType: "application/x-www-form-urlencoded"))
      try await transport.answer(
        .post, "https://h/upload",
        body: .data(Data("--b--".utf8), contentType: "multipart/form-data; boundary=b"))
      try await transport.answer(.get, "https://h/plain")
    }
    let text = try folder.text()
    #expect(Self.run("check", folder.file().path) == (0, ["no problems in 3 entries"]))
    #expect(Self.run("clean", folder.file().path).code == 0)
    #expect(try folder.text() == text)
  }

  @Test("Files from browsers are accepted", arguments: ["chromium.har"])
  func browsers(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/\(name)")
    let cleaned = try folder.write("", name)
    #expect(Self.run("list", file.path).code == 0)
    #expect(Self.run("clean", file.path, "--output", cleaned.path).code == 0)
    let lines = Self.run("check", cleaned.path).lines
    #expect(lines.allSatisfy { !$0.contains("secrets") }, "\(lines)")
  }

  @Test(
    "Hostile files give errors of a single line",
    arguments: [
      "", "{", "[]", "null", #"{"log":{}}"#, #"{"log":{"entries":{}}}"#, #"{"log":{"entries":[1]}}"#,
      #"{"log":{"entries":[{"request":{"method":"GET","url":7},"response":{"status":200}}]}}"#,
      #"{"log":{"entries":[{"request":{"method":"GET","url":"a"},"response":{"status":1e400}}]}}"#,
      String(repeating: "[", count: 100_000), "\u{0}",
    ])
  func hostile(_ text: String) throws {
    let file = try folder.write(text)
    for command in ["list", "check", "clean"] {
      let (code, lines) = Self.run(command, file.path)
      #expect(code == 1 && lines.count == 1, "\(lines)")
      #expect(lines.first?.hasPrefix("users.har is not a HAR 1.2 file: ") == true, "\(lines)")
    }
    #expect(try folder.text() == text)
  }

  @Test("Extreme values in an entry cause no crash")
  func worst() throws {
    let file = try folder.write(
      #"""
      {"log":{"entries":[{"time":-1e300,"request":{"method":"G\u001bE T","url":"http://[::1","bodySize":-9223372036854775808,
      "headers":[{"name":"a\nb","value":"\u0007"}],"postData":{"mimeType":"multipart/","text":"(","_encoding":"base64"}},
      "response":{"status":-9223372036854775808,"headers":[{"name":"","value":"\r\n\r\n"}],
      "content":{"size":-1,"mimeType":"\u001b[2J","text":"\u0000","encoding":"BASE64"},"_trailers":[{}]}},
      {"request":{"method":"GET","url":"data:,x"},"response":{"status":9223372036854775807,"content":{"text":"é","mimeType":"a;charset=utf-16le"}}}]}}
      """#)
    for command in ["list", "check", "clean", "list"] {
      let lines = Self.run(command, file.path).lines
      #expect(!lines.joined().contains("\u{1B}"), "\(lines)")
    }
  }

  @Test("Other arguments print the usage, and missing files are named")
  func arguments() {
    let rows: [(arguments: [String], problem: String?)] = [
      ([], nil), (["list"], "list takes one file, not 0"), (["show", "a"], "there is no command show"),
      (["clean", "a", "--out", "b"], "clean has no option --out"),
      (["check", "a", "--output", "b"], "check has no option --output"),
      (["clean", "a", "--output"], "--output needs a file name"),
      (["check", "a", "b"], "check takes one file, not 2"),
    ]
    for row in rows {
      var lines: [String] = []
      #expect(HARCommand.run(row.arguments) { lines.append($0) } == 64)
      #expect(lines.dropLast() == row.problem.map { ["errand-har: \($0)"] } ?? [])
      #expect(lines.last?.hasPrefix("usage: errand-har list FILE\n") == true)
    }
    let (code, lines) = Self.run("list", "/none/such.har")
    #expect(code == 1 && lines == ["the recording /none/such.har cannot be read: there is no such file"])
    #expect(Self.run("list", "/").code == 1)
  }
}

import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("errand-har, locations of secrets")
struct HARCommandSecretsTests {
  let folder = RecordingFolder()

  private static let secret = "S3CRETs3cretValue"

  private static func run(_ arguments: String...) -> (code: Int32, lines: [String]) {
    var lines: [String] = []
    let code = HARCommand.run(arguments) { lines.append($0) }
    return (code, lines)
  }

  /// Returns an exchange with additional fields.
  private static func entry(
    request: String = "", response: String = "", content: String = "", more: String = ""
  )
    -> String
  {
    """
    {"request":{"method":"POST","url":"https://h/a"\(request)},\(more)
    "response":{"status":200\(response),"content":{"size":0\(content)}}}
    """
  }

  private static func sent(_ type: String, _ text: String) -> String {
    entry(request: #","postData":{"mimeType":"\#(type)","text":"\#(text)"}"#)
  }

  private static func answered(_ type: String, _ text: String, encoding: String = "") -> String {
    let encoding = encoding.isEmpty ? "" : #","encoding":"\#(encoding)""#
    return entry(content: #","mimeType":"\#(type)","text":"\#(text)"\#(encoding)"#)
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// JSON in base64, without the first character.
  private static let brokenJSON =
    String(base64(#"{"a":"some text","access_token":"\#(secret)","b":1}"#).dropFirst()) + "!"
  /// UTF-16 without a byte order mark, in base64.
  private static let wide =
    ("access_token=\(secret) and more".data(using: .utf16LittleEndian) ?? Data()).base64EncodedString()

  private static let part =
    #"--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\#(secret)\r\n--b--\r\n"#
  private static let parts = "multipart/form-data; boundary=b"

  /// An entry with a secret, and the location of the secret.
  static let rows: [(entry: String, place: String)] = [
    (sent(parts, part), "the request's body"), (sent(parts, #"(\r\n\#(part)"#), "the request's body"),
    (sent(parts, #"(12 bytes)\r\n\#(part)"#), "the request's body"),
    (
      entry(
        request:
          #","headers":[{"name":"Content-Type","value":"text/plain"}],"postData":{"mimeType":"\#(parts)","text":"\#(part)"}"#
      ), "the request's body"
    ),
    (sent("application/x-www-form-urlencoded", "pass%77ord=\(secret)"), "the request's body"),
    (sent("text/plain; access_token=\(secret)", "x"), "the type of the request's body"),
    (answered("text/plain; access_token=\(secret)", "x"), "the type of the body"),
    (answered("application/x-www-form-urlencoded", "pass%77ord=\(secret)"), "the body"),
    (answered("application/json", #"{\"access_token\":\"\#(secret)\"}"#, encoding: "base64"), "the body"),
    (
      answered(
        "application/json", String(base64(#"{"access_token":"\#(secret)","x":1}"#).dropLast()) + "!",
        encoding: "base64"), "the body"
    ),
    (answered("application/json", brokenJSON, encoding: "base64"), "the body"),
    (answered("application/octet-stream", brokenJSON, encoding: "base64"), "the body"),
    (answered("text/plain", wide, encoding: "base64"), "the body"),
    (answered("text/plain", "\(wide.dropLast(3))!", encoding: "base64"), "the body"),
    (
      entry(
        request:
          #","postData":{"mimeType":"application/json","_encoding":"base64","text":"{\"password\":\"\#(secret)\"}"}"#
      ),
      "the request's body"
    ),
    (
      #"{"request":{"method":"token=\#(secret)","url":"https://h/a"},"response":{"status":200}}"#,
      "the method"
    ),
    (entry(request: #","httpVersion":"token=\#(secret)""#), "the protocol"),
    (entry(response: #","httpVersion":"token=\#(secret)""#), "the protocol"),
    (entry(response: #","statusText":"token=\#(secret)""#), "the status text"),
    (entry(response: #","_error":"token=\#(secret)""#), "the error"),
    (entry(content: #","comment":"token=\#(secret)""#), "the comment of the body"),
    (entry(more: #""serverIPAddress":"token=\#(secret)","#), "the server's address"),
    (
      entry(request: #","headers":[{"name":"token=\#(secret)","value":"x"}]"#),
      "token… of the request"
    ),
    (
      entry(response: #","headers":[{"name":"token=\#(secret)","value":"x"}]"#),
      "token… of the response"
    ),
    (
      entry(response: #","_trailers":[{"name":"token=\#(secret)","value":"x"}]"#),
      "token… of the trailers"
    ),
    (
      entry(request: #","_trailers":[{"name":"X-Proof","value":"\#(webToken)"}]"#),
      "X-Proof of the request's trailers"
    ),
    (
      entry(response: #","_trailers":[{"name":"X-Proof","value":"\#(webToken)"}]"#),
      "X-Proof of the trailers"
    ),
  ]

  /// A JSON Web Token with a signature that contains the secret.
  private static let webToken = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.\(secret)AAAAAAAAAAAA"

  @Test("check names the location, and clean removes the secret", arguments: rows.indices)
  func hidden(_ index: Int) throws {
    let (entry, place) = Self.rows[index]
    let file = try folder.write(entries: entry)
    let check = Self.run("check", file.path)
    #expect(check.code == 1)
    #expect(check.lines.contains { $0.hasSuffix("secrets are visible: \(place)") }, "\(check.lines)")
    #expect(Self.run("clean", file.path, "--output", folder.file("clean.har").path).code == 0)
    let text = try folder.text("clean.har")
    let lines = (check.lines + Self.run("list", file.path).lines + [text]).joined(separator: "\n")
    #expect(!lines.contains(Self.secret) && !lines.contains(Self.base64(Self.secret).prefix(20)), "\(lines)")
    let left = Self.run("check", folder.file("clean.har").path).lines
    #expect(!left.contains { $0.contains("in the clear") }, "\(left)")
    #expect(Self.run("clean", folder.file("clean.har").path).code == 0)
    #expect(try folder.text("clean.har") == text)
  }

  @Test("list and check hide tokens and values of secret names in the URL and the types")
  func lines() throws {
    let file = try folder.write(
      entries: #"{"request":{"method":"GET","url":"https://h/\#(Self.webToken)"},"response":{"status":200}}"#,
      """
      {"request":{"method":"GET","url":"https://h/\(Self.secret)",
      "headers":[{"name":"X-Api-Key","value":"\(Self.secret)"}]},
      "response":{"status":200,"content":{"mimeType":"text/plain; boundary=\(Self.secret)","text":"x"}}}
      """)
    #expect(
      Self.run("list", file.path).lines == [
        "entry 1, GET https://h/<redacted>, 200 OK, 0 bytes",
        "entry 2, GET https://h/<redacted>, 200 OK, 1 bytes of text/plain; boundary=<redacted>",
      ])
    let check = Self.run("check", file.path).lines.joined(separator: "\n")
    #expect(check.hasPrefix("entry 1, GET https://h/<redacted>: "))
    #expect(!check.contains(Self.secret) && !check.contains("eyJ"))
  }

  @Test("The content type beside a body stays there, and becomes no header field")
  func types() throws {
    let file = try folder.write(
      entries: Self.sent("application/json", "[1]"), Self.answered("text/html; charset=utf-8", "<p>"))
    #expect(Self.run("clean", file.path).code == 0)
    let text = try folder.text()
    #expect(text.contains(#""mimeType" : "application/json""#), "\(text)")
    #expect(text.contains(#""mimeType" : "text/html; charset=utf-8""#), "\(text)")
    #expect(!text.lowercased().contains("content-type"))
    #expect(Self.run("check", file.path) == (0, ["no problems in 2 entries"]))
  }

  @Test("Text marked as base64 that is not base64 is reported as broken, and unchanged without a secret")
  func broken() throws {
    let file = try folder.write(entries: Self.answered("text/plain", "no, it is not", encoding: "base64"))
    let problem = ["entry 1, POST https://h/a: the body is not base64", "1 problem"]
    #expect(
      Self.run("list", file.path).lines == ["entry 1, POST https://h/a, 200 OK, broken base64 of text/plain"])
    #expect(Self.run("check", file.path) == (1, problem))
    #expect(Self.run("clean", file.path).code == 0)
    #expect(Self.run("check", file.path) == (1, problem))
    #expect(try folder.text().contains(#""text" : "no, it is not""#))
  }

  @Test("A file cleaned in place keeps its permissions, and a link's target is cleaned")
  func rights() throws {
    let file = try folder.write(
      entries: Self.sent("application/json", #"{\"password\":\"\#(Self.secret)\"}"#))
    let link = folder.file("link.har")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.lastPathComponent)
    for rights in [0o600, 0o640] {
      try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: file.path)
      #expect(Self.run("clean", link.path).code == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect(attributes[.posixPermissions] as? Int == rights)
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.lastPathComponent)
    #expect(try !folder.text().contains(Self.secret))
    let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
    #expect(names.sorted() == ["link.har", "users.har"])
  }

  @Test("A dangling link creates its target, and a special file is not replaced")
  func targets() throws {
    let file = try folder.write(entries: Self.sent("application/json", "[1]"))
    let (link, clean) = (folder.file("link.har"), folder.file("clean.har"))
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: clean.path)
    #expect(Self.run("clean", file.path, "--output", link.path).code == 0)
    #expect(try folder.text("clean.har").contains("[1]"))
    let directory = file.deletingLastPathComponent().path
    #expect(
      Self.run("clean", file.path, "--output", directory)
        == (1, ["the recording \(directory) cannot be written: the path is not a regular file"]))
  }
}

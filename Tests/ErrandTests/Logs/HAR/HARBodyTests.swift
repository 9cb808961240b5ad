import ErrandJSON
import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandHARFormat
@testable import ErrandLogs

@Suite("Bodies in HAR files")
struct HARBodyTests {
  static let secret = "Zq7tokSECRETq91xK"
  static let json = #"{"access_token":"\#(secret)","id":7}"#

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var type: String?
    var body: Data
    /// `nil` if the log only contains the length.
    var text: String?
    var testDescription: String { name }
  }

  static func utf16(_ text: String) -> Data { text.data(using: .utf16LittleEndian) ?? Data() }

  static let hidden = #"{"access_token":"<redacted>","id":7}"#
  static let rows: [Row] = [
    Row(name: "UTF-16", type: "application/json; charset=utf-16le", body: utf16(json), text: hidden),
    Row(name: "marked", type: "application/json", body: Data([0xFF, 0xFE]) + utf16(json), text: hidden),
    Row(
      name: "UTF-32", type: "application/json; charset=utf-32be",
      body: json.data(using: .utf32BigEndian) ?? Data(), text: hidden),
    Row(name: "ends in NUL", type: "application/json", body: Data(json.utf8) + [0], text: nil),
    Row(
      name: "a byte that is not UTF-8", type: "application/octet-stream",
      body: Data(json.utf8.dropLast()) + [0xFF], text: nil),
    Row(name: "NUL and a secret", type: "application/octet-stream", body: [0] + Data(secret.utf8), text: nil),
    Row(
      name: "gzip", type: "application/gzip", body: Data([0x1F, 0x8B, 8, 0]) + Data(secret.utf8), text: nil),
    Row(name: "PNG", type: "image/png", body: DisplayableBodyTests.png + Data(secret.utf8), text: nil),
    Row(name: "UTF-16 that nobody declares", type: nil, body: utf16(secret), text: nil),
    Row(
      name: "parts", type: "multipart/form-data; boundary=b",
      body: Data("--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n--b--".utf8),
      text: nil),
    Row(
      name: "parts of a malformed type", type: "multipart/form-data boundary=b",
      body: Data("--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n--b--".utf8),
      text: nil),
  ]

  /// Returns the HAR files of the logger and of the report.
  static func accounts(_ row: Row) async throws -> [Data] {
    let folder = TemporaryDirectory()
    let file = folder.url.appendingPathComponent("a.har")
    let logger = HARLogger(file)
    let body = row.body
    let agent = RequestAgent(
      baseURL: "https://mocked.example",
      transport: FunctionTransport { request, _ in
        HTTPResponse(
          headers: HTTPHeaders(row.type.map { [.init(name: "Content-Type", value: $0)] } ?? []), body: body)
      }, accessories: [logger])
    let request = OneOffRequest<Data>(
      "a", method: .post, headers: ["Authorization": "Bearer \(secret)"],
      body: .data(body, contentType: row.type), response: .data)
    let report = try await agent.response(for: request).report
    try await logger.flush()
    return [try Data(contentsOf: file), report.har()]
  }

  @Test("Bodies are redacted as text in any charset, and binary bodies are left out", arguments: rows)
  func secrets(_ row: Row) async throws {
    let accounts = try await Self.accounts(row)
    for account in accounts {
      let entry = try #require(try JSONCoding().decode(HARFile.self, from: account).log.entries.first)
      let posted = try #require(entry.request.postData)
      let note = "The body of \(row.body.count) bytes is not text and was not recorded."
      let isForm = row.type?.hasPrefix("multipart") == true
      #expect(posted.text == row.text ?? (isForm ? "(\(row.body.count) bytes)" : ""))
      #expect(posted.comment == (row.text == nil && !isForm ? note : nil))
      #expect(posted.encoding == nil && entry.response.content.encoding == nil)
    }
    let content = try #require(
      try JSONCoding().decode(HARFile.self, from: accounts[0]).log.entries.first?.response.content)
    #expect(content.text == row.text ?? "")
    #expect(
      content.comment
        == (row.text == nil ? "The body of \(row.body.count) bytes is not text and was not recorded." : nil))
    if row.text == nil { #expect(content.size == row.body.count) }
  }

  @Test("Pictures are in base64, and without redaction all bytes are")
  func pictures() {
    let picture = DisplayableBodyTests.png + Data([1, 2, 3])
    let shown = HARText(shown: picture, type: "image/png", redaction: .standard)
    #expect(shown.encoding == "base64" && shown.bytes(type: nil) == picture)
    let bytes = HARText(shown: Data([0, 1]), type: nil, redaction: .none)
    #expect(bytes.encoding == "base64" && bytes.bytes(type: nil) == Data([0, 1]))
  }

  @Test("Decoded text is replayed in its charset")
  func charsets() {
    for (text, type) in [
      ("{}", "application/json; charset=utf-16le"), ("é", "text/plain; charset=utf-32"),
      ("Привет", "text/plain; charset=koi8-r"), ("é€", "text/html; charset=windows-1252"),
      ("é", "text/plain; charset=utf-8"), ("é", "text/plain; charset=unheard-of"),
    ] {
      let bytes = HARText(text: text, encoding: nil).bytes(type: type) ?? Data()
      let charset = MediaType(type)?["charset"].flatMap { Charset($0) } ?? .utf8
      #expect(charset.decode(bytes) == text)
      #expect(HARText(shown: bytes, type: type, redaction: .standard).text == text)
    }
  }

  @Test("The type of a body is redacted like its header field")
  func types() async throws {
    for type in ["text/plain; note=\(Self.secret)", "text/plain; access_token=other"] {
      for account in try await Self.accounts(Row(name: "", type: type, body: Data("x".utf8), text: "x")) {
        let entry = try #require(try JSONCoding().decode(HARFile.self, from: account).log.entries.first)
        let name = type.contains("note") ? "note" : "access_token"
        #expect(entry.request.postData?.mimeType == "text/plain; \(name)=<redacted>")
        let text = String(decoding: account, as: UTF8.self)
        #expect(!text.contains(Self.secret) && !text.contains("other"))
      }
    }
  }

  @Test("A status below 0 is written as its text, and a date outside of HAR's range as the nearest")
  func bounds() throws {
    let url = try #require(URL(string: "https://a/"))
    let exchange = HARExchange(
      request: HTTPRequest(url: url), requestBody: Data(), head: HTTPResponse(status: -7), body: Data(),
      summary: TransportSummary(), isWhole: true, times: nil)
    let response = HAREntry(exchange, redaction: .standard).response
    #expect(response.status == 0 && response.statusText == "-7")
    // January 1 of the Gregorian calendar, written as a Julian date like Foundation's.
    #expect(
      [.distantPast, Date(timeIntervalSince1970: -1e15), Date(timeIntervalSince1970: 1e15)].map(
        HAREntry.dateTime) == [
          "0001-01-03T00:00:00.000Z", "0001-01-03T00:00:00.000Z", "9999-12-31T23:59:59.000Z",
        ])
    #expect(HAREntry.dateTime(Date(timeIntervalSince1970: .nan)) == "1970-01-01T00:00:00.000Z")
    #expect(HAREntry.dateTime(Date(timeIntervalSince1970: .infinity)) == "9999-12-31T23:59:59.000Z")
  }
}

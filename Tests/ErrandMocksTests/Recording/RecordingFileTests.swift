import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("The file of a recording")
struct RecordingFileTests {
  let folder = RecordingFolder()

  @Test("The file is HAR 1.2 with every required field, and with redacted secrets")
  func text() async throws {
    let answer = MockAnswer.json(#"{"token":"canary-5","id":7,"tags":["a"]}"#, status: 201)
      .header("Set-Cookie", "session=canary-6").header("Location", "/users/7?token=canary-7")
    let server = MockTransport([Stub(.post, "/users", answers: answer)])
    try await RecordingTransport.record(folder.file(), over: server) { transport in
      try await transport.answer(
        .post, "https://user:canary-1@h/users?token=canary-2&q=x%20y",
        headers: ["Authorization": "Bearer canary-3"],
        body: .text("name=Ada&password=canary-4", contentType: "application/x-www-form-urlencoded"))
    }
    #expect(try folder.text() == Self.expected)
  }

  @Test("A secret in a path and an echoed credential are redacted, and the recording can be replayed")
  func values() async throws {
    struct Unlock: Request {
      typealias Response = String
      var code: Secret
      var path: String { "doors/\(code.reveal())" }
      var headers: HTTPHeaders { ["Authorization": "Bearer canary-token"] }
    }
    let server = MockTransport { .text("you sent \($0.headers["Authorization"] ?? "") to \($0.path)") }
    func send(over transport: any Transport) async throws -> String {
      try await RequestAgent(baseURL: "https://h", transport: transport).send(Unlock(code: "canary-code"))
    }
    try await RecordingTransport.record(folder.file(), over: server) { transport in
      _ = try await send(over: transport)
    }
    #expect(try !folder.text().contains("canary-"))
    let replayed = try await send(over: RecordingTransport(folder.file()))
    #expect(replayed == "you sent Bearer <redacted> to /doors/<redacted>")
  }

  @Test("Recording the same exchanges gives the same bytes, for any order of ends")
  func deterministic() async throws {
    let stubs = (0..<20).map { Stub(.get, "/\($0)", answers: .json("[\($0)]"), .json("[]")) }
    for name in ["a.har", "b.har"] {
      try await RecordingTransport.record(folder.file(name), over: MockTransport(stubs)) { transport in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in (0..<20).shuffled() {
            group.addTask { for _ in 1...2 { try await transport.answer(.get, "https://h/\(index)") } }
          }
          try await group.waitForAll()
        }
      }
    }
    #expect(try folder.text("a.har") == folder.text("b.har"))
    let replay = try RecordingTransport(folder.file("a.har"))
    #expect(try await replay.line(.get, "https://h/7") == "200 [7]")
    #expect(try await replay.line(.get, "https://h/7") == "200 []")
  }

  @Test("Entries without times are dated by position, and entries with times by the clock")
  func times() async throws {
    let server = MockTransport { _ in .status(204) }
    try await RecordingTransport.record(folder.file(), over: server) { transport in
      for path in ["b", "a"] { try await transport.answer(.get, "https://h/\(path)") }
    }
    let dates = try folder.text().split(separator: "\n").filter { $0.contains("startedDateTime") }
    #expect(
      dates.map { $0.suffix(27) } == ["\"1970-01-01T00:00:00.000Z\",", "\"1970-01-01T00:00:00.001Z\","])

    let recording = try RecordingTransport(
      folder.file("timed.har"), mode: .recordAll, over: server, keepsTimes: true)
    try await recording.answer(.get, "https://h/a")
    try recording.save()
    #expect(try !folder.text("timed.har").contains("\"1970-"))
  }

  static let bodies: [(Data, String?, String)] = [
    (Data("é ∮\u{0007}\r\n\"\\/".utf8), "text/plain", #""text" : "é ∮\u0007\r\n\"\\/""#),
    (Data([0xEF, 0xBB, 0xBF, 0x61]), "text/plain", "\"text\" : \"\u{FEFF}a\""),
    (Data([0xFF, 0x00, 0x41]), "image/png", #""text" : "/wBB""#),
    (Data([0xE9]), "text/html; charset=iso-8859-1", #""text" : "6Q==""#),
    (Data("é".utf8), "text/html; charset=iso-8859-1", #""text" : "w6k=""#),
    (Data([0x61, 0x00]), nil, #""text" : "YQA=""#),
    (
      Data("{\"a\" : 1.0e2 ,\n\"b\":[ ]}".utf8), "application/json",
      #""text" : "{\"a\" : 1.0e2 ,\n\"b\":[ ]}""#
    ),
  ]

  @Test("A body is text if text preserves the bytes, and base64 otherwise", arguments: bodies)
  func body(_ bytes: Data, _ type: String?, _ text: String) async throws {
    let server = MockTransport { _ in .data(bytes, contentType: type) }
    try await RecordingTransport.record(folder.file(), over: server) {
      try await $0.answer(.get, "https://h/a")
    }
    #expect(try folder.text().contains(text))
    #expect(try await RecordingTransport(folder.file()).answer(.get, "https://h/a").body == bytes)
  }

  @Test("A redacted JSON value keeps its type, so a replayed response decodes")
  func kinds() async throws {
    let body =
      #"{ "token":"a\"b", "session" : {"id": "s1", "n":-1.5 , "ok":true, "x":null, "k9":[1, "t"]},"# + "\n"
      + #""token_count": 12 ,"secrets":[true,{}], "plain":{"url":"https://h/?token=t&a=1"}, "pass":false}"#
    let server = MockTransport { _ in .json(body) }
    try await RecordingTransport.record(folder.file(), over: server) {
      try await $0.answer(.get, "https://h/a")
    }
    let replayed = try await RecordingTransport(folder.file()).answer(.get, "https://h/a").body
    let hidden = Redaction.marker
    #expect(
      String(decoding: replayed, as: UTF8.self)
        == #"{ "token":"\#(hidden)", "session" : {"id": "\#(hidden)", "n":0 , "ok":false, "x":null, "#
        + #""k9":[0, "\#(hidden)"]},"# + "\n"
        + #""token_count": 0 ,"secrets":[false,{}], "plain":{"url":"https://h/?token=\#(hidden)&a=1"}, "pass":false}"#
    )
  }

  @Test("Secrets in other charsets are redacted, and the other text stays unchanged")
  func latin1() async throws {
    let type = "application/json; charset=iso-8859-1"
    let answer = MockAnswer.data(
      Data(#"{"token":"canary","a":""#.utf8) + [0xE9, 0x22, 0x7D], contentType: type)
    try await RecordingTransport.record(folder.file(), over: MockTransport { _ in answer }) {
      try await $0.answer(.get, "https://h/a")
    }
    #expect(
      try await RecordingTransport(folder.file()).answer(.get, "https://h/a").body
        == Data(#"{"token":"<redacted>","a":""#.utf8) + [0xE9, 0x22, 0x7D])
  }

  struct Measured: Transport {
    let capabilities = TransportCapabilities()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      var metrics = TransportSummary.Metrics()
      (metrics.nameLookup, metrics.connect) = (.milliseconds(1), .milliseconds(3))
      (metrics.secureConnect, metrics.firstByte) = (.milliseconds(7), .milliseconds(15))
      (metrics.total, metrics.httpVersion) = (.milliseconds(31), "HTTP/2")
      let body = BodyStream(Data("a".utf8), summary: TransportSummary(metrics: metrics))
      return TransportResponse(head: HTTPResponse(), body: body)
    }
  }

  @Test("With times, the phases are the transport's measurements")
  func phases() async throws {
    let recording = try RecordingTransport(
      folder.file(), mode: .recordAll, over: Measured(), keepsTimes: true)
    try await recording.answer(.get, "https://h/a")
    try recording.save()
    let lines = try folder.text().split(separator: "\n").map { $0.drop { $0 == " " } }
    let numbers = lines.filter { $0.contains(/: -?\d+,?$/) }
    #expect(
      numbers.suffix(8) == [
        "\"time\" : 31,", "\"blocked\" : -1,", "\"connect\" : 6,", "\"dns\" : 1,", "\"receive\" : 16,",
        "\"send\" : 0,", "\"ssl\" : 4,", "\"wait\" : 8",
      ])
    #expect(lines.filter { $0 == "\"httpVersion\" : \"HTTP/2\"," }.count == 2)
  }

  @Test("Only the length of a multipart body is written, because any part may be a secret")
  func multipart() async throws {
    let server = MockTransport { _ in .status(204) }
    let body = RequestBody.text("--b\r\n\r\ncanary\r\n--b--", contentType: "multipart/form-data; boundary=b")
    try await RecordingTransport.record(folder.file(), over: server) {
      try await $0.answer(.post, "https://h/a", body: body)
    }
    #expect(try folder.text().contains(#""text" : "(20 bytes)""#))
    #expect(
      try await RecordingTransport(folder.file()).answer(.post, "https://h/a", body: body).status == 204)
  }

  @Test("A write error names the file, and leaves no file")
  func unwritable() async throws {
    try folder.write("", "users")
    let recording = try RecordingTransport(
      folder.file("users/a.har"), mode: .recordAll, over: MockTransport { _ in .status(204) })
    try recording.save()
    try await recording.answer(.get, "https://h/a")
    let error = try #require(throws: TransportError.self) { try recording.save() }
    #expect(error.kind == .recording)
    #expect(error.message.hasPrefix("the recording \(folder.file("users/a.har").path) cannot be written: "))
  }

  static let expected = #"""
    {
      "log" : {
        "creator" : {
          "name" : "Errand",
          "version" : "1"
        },
        "entries" : [
          {
            "cache" : {

            },
            "request" : {
              "bodySize" : -1,
              "cookies" : [

              ],
              "headers" : [
                {
                  "name" : "Authorization",
                  "value" : "Bearer <redacted>"
                },
                {
                  "name" : "Content-Type",
                  "value" : "application/x-www-form-urlencoded"
                }
              ],
              "headersSize" : -1,
              "httpVersion" : "",
              "method" : "POST",
              "postData" : {
                "mimeType" : "application/x-www-form-urlencoded",
                "params" : [

                ],
                "text" : "name=Ada&password=<redacted>"
              },
              "queryString" : [
                {
                  "name" : "token",
                  "value" : "<redacted>"
                },
                {
                  "name" : "q",
                  "value" : "x y"
                }
              ],
              "url" : "https://%3Credacted%3E@h/users?token=%3Credacted%3E&q=x%20y"
            },
            "response" : {
              "bodySize" : -1,
              "content" : {
                "mimeType" : "application/json",
                "size" : 42,
                "text" : "{\"token\":\"<redacted>\",\"id\":7,\"tags\":[\"a\"]}"
              },
              "cookies" : [

              ],
              "headers" : [
                {
                  "name" : "Content-Type",
                  "value" : "application/json"
                },
                {
                  "name" : "Set-Cookie",
                  "value" : "<redacted>"
                },
                {
                  "name" : "Location",
                  "value" : "/users/7?token=%3Credacted%3E"
                },
                {
                  "name" : "Content-Length",
                  "value" : "40"
                }
              ],
              "headersSize" : -1,
              "httpVersion" : "",
              "redirectURL" : "/users/7?token=%3Credacted%3E",
              "status" : 201,
              "statusText" : "Created"
            },
            "startedDateTime" : "1970-01-01T00:00:00.000Z",
            "time" : 0,
            "timings" : {
              "blocked" : -1,
              "connect" : -1,
              "dns" : -1,
              "receive" : 0,
              "send" : 0,
              "ssl" : -1,
              "wait" : 0
            }
          }
        ],
        "version" : "1.2"
      }
    }

    """#
}

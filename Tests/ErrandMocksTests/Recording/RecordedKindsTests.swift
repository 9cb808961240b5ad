import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("The kinds of what is hidden in recorded JSON")
struct RecordedKindsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let body: String
    let replayed: String
    var secret = "1000"
    var type = "application/json"
    var testDescription: String { "\(body) with \(secret)" }
  }

  struct Echo: Request {
    typealias Response = Data
    var code: Secret
    let path = "items"
    var parameters: Parameters { ["page": code] }
  }

  let folder = RecordingFolder()

  private func replayed(_ row: Row) async throws -> String {
    let server = MockTransport { _ in .data(Data(row.body.utf8), contentType: row.type) }
    func send(over transport: any Transport) async throws -> Data {
      try await RequestAgent(baseURL: "https://h", transport: transport).send(
        Echo(code: Secret(row.secret)))
    }
    try await RecordingTransport.record(folder.file(), over: server) { transport in
      _ = try await send(over: transport)
    }
    return String(decoding: try await send(over: RecordingTransport(folder.file())), as: UTF8.self)
  }

  static let numbers = [
    Row(body: #"{"total":1000,"items":[1,2]}"#, replayed: #"{"total":0,"items":[1,2]}"#),
    Row(body: #"[1000 , -1000, 1000.5,"1000"]"#, replayed: #"[0 , 0, 0,"<redacted>"]"#),
    Row(body: #"{"a":{"1000":[true,false,null]}}"#, replayed: #"{"a":{"<redacted>":[true,false,null]}}"#),
    Row(body: #"[5123456789,9.01234,"x"]"#, replayed: #"[0,0,"x"]"#, secret: "1234"),
    Row(body: "[true,\nfalse\n]", replayed: "[false,\nfalse\n]", secret: "true"),
    Row(body: #"{"token":1000 ,"a":1000}"#, replayed: #"{"token":0 ,"a":0}"#),
  ]

  @Test("A number with a hidden value in it is 0, and a boolean false", arguments: numbers)
  func number(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }

  static let fragments = [
    Row(body: #""token=abcdef\"""#, replayed: #""token=<redacted>\"""#),
    Row(body: #" "1000" "#, replayed: #" "<redacted>" "#),
    Row(body: "1000\n", replayed: "0\n"),
    Row(body: "1000", replayed: "<redacted>", type: "text/plain"),
  ]

  @Test("A string or a number that is all of a JSON text stays one", arguments: fragments)
  func fragment(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }

  static let structures = [
    Row(
      body: #"{"a":["x","y"],"n":7}"#, replayed: #"{"a":["<redacted>","<redacted>"],"n":0}"#,
      secret: #"x","y"#),
    Row(body: #"{"n":[1,2,3],"ok":true}"#, replayed: #"{"n":[0,0,0],"ok":false}"#, secret: "[1,2"),
  ]

  @Test(
    "Where a hidden value goes over several values of a text, all of these are replaced",
    arguments: structures)
  func structure(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }

  @Test("A number in the body of a request is 0, and the recording answers the members in any order")
  func requests() async throws {
    let server = MockTransport { _ in .text("live") }
    func body(_ text: String) -> RequestBody { .text(text, contentType: "application/json") }
    try await RecordingTransport.record(folder.file(), over: server) {
      try await $0.answer(.post, "https://h/a", body: body(#"{"b":1,"a":1000,"token":"1000"}"#))
      try await $0.answer(.post, "https://h/a", body: body(#"{"b":2}"#))
    }
    #expect(try folder.text().contains(#""text" : "{\"b\":1,\"a\":0,\"token\":\"<redacted>\"}""#))
    let replay = try RecordingTransport(folder.file())
    let sent = body(#"{"a":2000,"token":"2000","b":1}"#)
    #expect(try await replay.line(.post, "https://h/a", body: sent) == "200 live")
  }
}

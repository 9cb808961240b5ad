import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("The JSON types of redacted values in recordings")
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

  @Test("A number with a secret becomes 0, and a boolean becomes false", arguments: numbers)
  func number(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }

  static let fragments = [
    Row(body: #""token=abcdef\"""#, replayed: #""token=<redacted>\"""#),
    Row(body: #" "1000" "#, replayed: #" "<redacted>" "#),
    Row(body: "1000\n", replayed: "0\n"),
    Row(body: "1000", replayed: "<redacted>", type: "text/plain"),
  ]

  @Test("A string or a number as the whole JSON text keeps its type", arguments: fragments)
  func fragment(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }

  static let structures = [
    Row(
      body: #"{"a":["x","y"],"n":7}"#, replayed: #"{"a":["<redacted>","<redacted>"],"n":0}"#,
      secret: #"x","y"#),
    Row(body: #"{"n":[1,2,3],"ok":true}"#, replayed: #"{"n":[0,0,0],"ok":false}"#, secret: "[1,2"),
  ]

  @Test(
    "If a secret spans several values, all the values are replaced",
    arguments: structures)
  func structure(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }

  @Test("A number in a request body becomes 0, and the recording matches members in any order")
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

  static let names = [
    Row(
      body: #"{"session":{"address1":"x","expires_in":3600,"sha-256":{"A":[1]}}}"#,
      replayed: #"{"session":{"address1":"<redacted>","expires_in":0,"sha-256":{"A":[0]}}}"#),
    Row(
      body: #"{"session":{"u1000":1,"u-100":2,"1000":3}}"#,
      replayed: #"{"session":{"<redacted>":0,"u-100":0,"<redacted>":0}}"#),
    Row(
      body: #"{"tokens":{"id12345":1,"id123456":2,"a b":3,"a.b":4,"":5}}"#,
      replayed: #"{"tokens":{"id12345":0,"<redacted>":0,"<redacted>":0,"<redacted>":0,"":0}}"#),
    Row(
      body: #"{"tokens":{"3f2a9c1e-8b1d-4c3e-9a2f-1b2c3d4e5f60":1,"a8f3c9e2":2,"s3-v2":3}}"#,
      replayed: #"{"tokens":{"<redacted>":0,"<redacted>":0,"s3-v2":0}}"#),
    Row(
      body:
        #"{"tokens":{"\#(String(repeating: "a", count: 40))":1,"\#(String(repeating: "b", count: 41))":2}}"#,
      replayed: #"{"tokens":{"\#(String(repeating: "a", count: 40))":0,"<redacted>":0}}"#),
  ]

  @Test("Members of a redacted object keep names that are words", arguments: names)
  func name(row: Row) async throws { #expect(try await replayed(row) == row.replayed) }
}

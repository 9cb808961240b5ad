import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

@Suite("Multipart bodies in an HTML log")
struct HTMLLogPartTests {
  private static func shown(
    _ body: RequestBody, limits: HTMLLogger.Limits = .init(), isOmitted: Bool = false,
    redaction: Redaction = .standard
  ) throws -> JSONValue {
    let url = try #require(URL(string: "https://a.example"))
    let request = HTTPRequest(url: url, method: .post, body: try body.prepared { JSONCoding() })
    let body = HTMLLogBody(
      of: HTMLLogRequest(request, keeping: 100), isOmitted: isOmitted, redaction: redaction, limits: limits)
    return try JSONCoding().decode(JSONValue.self, from: JSONCoding().encode(body))
  }

  private static func rows(_ body: JSONValue) -> [String] {
    (body["parts"].array ?? []).map { part in
      let body = part["body"]
      return [
        part["name"].string, part["file"].string, body["kind"].string, body["length"].number?.text,
        body["type"].string, body["text"].string, body["bytes"].string, body["shown"].number?.text,
      ].compactMap(\.self).joined(separator: " | ")
    }
  }

  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

  @Test(
    "Each part has its name, file, type, size, and its text or picture, with secrets redacted by name and by value"
  )
  func parts() throws {
    let body = RequestBody.multipart([
      BodyPart(name: "title", body: .data(Data("Sunset".utf8))),
      BodyPart(name: "user[password]", body: .data(Data("hunter2hunter".utf8))),
      BodyPart(name: "note", body: .text("it is hunter2hunter")),
      BodyPart(
        name: "meta", body: .data(Data(#"{"token":"abc","id":"7"}"#.utf8), contentType: "application/json")),
      BodyPart(name: "photo", filename: "a.png", body: .data(Self.png, contentType: "image/png")),
      BodyPart(name: "raw", filename: "b.bin", body: .data(Data([0, 1, 255]), contentType: "application/x")),
      BodyPart(name: "empty", body: .none),
    ])
    let shown = try Self.shown(body, redaction: .standard.hiding(secrets: [Secret("hunter2hunter")]))
    #expect(shown["kind"].string == "parts" && shown["type"].string == "multipart/form-data")
    #expect(shown["text"].string?.hasPrefix("multipart/form-data of 7 parts, ") == true)
    #expect(
      Self.rows(shown) == [
        "title | text | 6 | Sunset", "user[password] | text | <redacted>",
        "note | text | 19 | text/plain | it is <redacted>",
        #"meta | text | 24 | application/json | {"token":"<redacted>","id":"7"}"#,
        "photo | a.png | image | 8 | image/png | \(Self.png.base64EncodedString())",
        "raw | b.bin | binary | 3 | application/x | 00 01 ff", "empty | none | 0",
      ])
  }

  @Test("All parts together are limited like a single body, and no file or stream is read")
  func limits() throws {
    var limits = HTMLLogger.Limits()
    limits.body = 8
    let stream = RequestBody.stream(length: 4, contentType: "video/mp4") {
      Issue.record("it was read")
      return AsyncStream<Data> { $0.finish() }
    }
    let parts = [
      BodyPart(name: "a", body: .data(Data("12345".utf8))),
      BodyPart(name: "b", body: .data(Data("12345".utf8))),
      BodyPart(name: "c", body: .data(Data("1".utf8))),
      BodyPart(name: "film", filename: "f.mp4", body: stream),
    ]
    #expect(
      Self.rows(try Self.shown(.multipart(parts), limits: limits)) == [
        "a | text | 5 | 12345", "b | text | 5 | 123 | 3", "c | text | 1 |  | 0",
        "film | f.mp4 | stream | 4 | video/mp4 | \(stream)",
      ])
    let many = (0..<102).map { BodyPart(name: "\($0)", body: .data(Data("x".utf8))) }
    let shown = try Self.shown(.multipart(many, type: "multipart/mixed"))
    #expect(Self.rows(shown).count == 100 && shown["partCount"].number?.text == "102")
  }

  @Test("Without bodies only the size is shown")
  func omitted() throws {
    let body = try Self.shown(.multipart([BodyPart(name: "a", body: .text("x"))]), isOmitted: true)
    #expect(body["kind"].string == "stream" && body["parts"].array == nil && body["text"].string == nil)
  }
}

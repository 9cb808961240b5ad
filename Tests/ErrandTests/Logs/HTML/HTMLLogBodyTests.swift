import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

@Suite("Bodies in an HTML log")
struct HTMLLogBodyTests {
  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])

  private static func body(
    _ bytes: Data, _ type: String?, limits: HTMLLogger.Limits = .init(), length: Int? = nil,
    detail: HTMLLogger.Detail = .bodies
  ) -> HTMLLogBody {
    var response = HTTPResponse(body: bytes)
    response.headers["Content-Type"] = type
    return HTMLLogBody(
      of: response, length: length ?? bytes.count, detail: detail, redaction: .standard, limits: limits)
  }

  @Test("Text is decoded by its charset, and shown with its lines")
  func text() {
    let latin = Self.body(Data([0x63, 0x61, 0x66, 0xE9, 13, 10]), "text/plain; charset=iso-8859-1")
    #expect(latin.kind == .text)
    #expect(latin.text == "café\n")
    let wide = Self.body(Data([0xFF, 0xFE, 0x41, 0, 0x42, 0]), "text/plain; charset=utf-16")
    #expect(wide.text == "AB")
    #expect(Self.body(Data("<b>".utf8), "application/octet-stream").text == "<b>")
  }

  @Test("A text over the limit is cut between characters, with its length")
  func limit() {
    var limits = HTMLLogger.Limits()
    limits.body = 6
    let body = Self.body(Data("éééé".utf8), "text/plain", limits: limits)
    #expect(body.text == "ééé")
    #expect((body.shown, body.length) == (6, 8))
    limits.body = 5
    #expect(Self.body(Data("éééé".utf8), "text/plain", limits: limits).text == "éé")
    limits.body = -1
    #expect(Self.body(Data("abc".utf8), "text/plain", limits: limits).text == "")
  }

  @Test("Pictures are recognized by their bytes, SVG is text, and a picture over the limit has its size only")
  func pictures() {
    let picture = Self.body(Self.png, "text/html")
    #expect(picture.kind == .image)
    #expect(picture.type == "image/png")
    #expect(picture.bytes == Self.png.base64EncodedString())
    #expect(Self.body(Data("<svg onload='x'/>".utf8), "image/svg+xml").kind == .text)
    #expect(Self.body(Data("RIFF0000WEBP".utf8), nil).type == "image/webp")
    #expect(Self.body(Data("GIF89a".utf8), nil).type == "image/gif")
    #expect(Self.body(Data([0xFF, 0xD8, 0xFF, 0]), nil).type == "image/jpeg")
    var limits = HTMLLogger.Limits()
    limits.image = 10
    #expect(Self.body(Self.png, "image/png", limits: limits).kind == .binary)
    #expect(Self.body(Self.png, "image/png", length: 1000).kind == .binary)
  }

  @Test("Other bytes are counted, with their first sixteen bytes")
  func binary() {
    let body = Self.body(Data(0..<40), "application/octet-stream")
    #expect(body.kind == .binary)
    #expect(body.length == 40)
    #expect(body.bytes == "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f")
    // A Protocol Buffers message may be valid UTF-8. A body with a text type is shown as text.
    let message = Self.body(Data([8, 1, 16, 2]), "application/x-protobuf")
    #expect((message.kind, message.bytes) == (.binary, "08 01 10 02"))
    #expect(Self.body(Data([8, 1]), "text/plain").text == "\\u{8}\\u{1}")
    #expect(Self.body(Data("\u{1B}[1m\tx\r\n".utf8), nil).kind == .text)
    #expect(Self.body(Data("--x\r\n".utf8), "multipart/form-data; boundary=x").bytes == nil)
  }

  @Test("Binary bodies and pictures with a known secret are counted only, in any charset")
  func secrets() {
    let redaction = Redaction.standard.hiding(secrets: ["s3cret-value"])
    let secret = "s3cret-value".data(using: .utf16LittleEndian) ?? Data()
    for body in [secret, Data([0]) + secret, Self.png + secret, Self.png + Data("s3cret-value".utf8)] {
      let shown = HTMLLogBody(
        of: HTTPResponse(body: body), length: body.count, detail: .bodies, redaction: redaction,
        limits: .init())
      #expect(shown.kind == .binary && shown.bytes == nil && shown.length == Int64(body.count))
    }
  }

  @Test("Unwanted, deferred and bypassed bodies have their size only")
  func sizes() {
    #expect(Self.body(Data(), "text/plain", length: 9, detail: .heads).kind == .omitted)
    #expect(Self.body(Data(), "text/plain", length: 9, detail: .deferredBody).kind == .deferred)
    #expect(Self.body(Data(), "text/plain", length: 9).kind == .stream)
    #expect(Self.body(Data(), "text/plain").kind == .none)
    #expect(Self.body(Data(), "text/plain", length: 9).length == 9)
  }

  @Test("The detail level of a dispatch decides on the written parts, also in the curl command")
  func details() async throws {
    let (folder, clock) = (LogFolder(), TestClock(autoAdvances: true))
    let logger = folder.logger(clock) { context in
      switch context.comment {
      case "nothing": .nothing
      case "heads": .heads
      default: .bodies
      }
    }
    let agent = LogFolder.agent(logger, clock, HTTPResponse(body: Data("answer".utf8)))
    for comment in ["nothing", "heads", "all"] {
      let request = OneOffRequest<Data>(
        "a", method: .post, body: .text("question"), response: .data)
      _ = try await agent.send(request.with(\.comment, comment))
    }
    await logger.flush()
    let page = try folder.page()
    #expect(page.all("start").count == 2)
    #expect(page.all("send").map { $0["comment"].string } == ["heads", "all"])
    #expect(page.all("send").map { $0["body"]["kind"].string } == ["omitted", "text"])
    #expect(page.all("attempt").map { $0["body"]["kind"].string } == ["omitted", "text"])
    #expect(page.all("attempt").map { $0["length"].number?.text } == ["6", "6"])
    let lines = page.all("send").compactMap { $0["curl"].string }
    #expect(lines.map { $0.contains("question") } == [false, true])
    #expect(lines[0].contains("--data-binary @-"))
  }

  @Test("With the detail of heads, the curl command has no texts of a form")
  func formOfHeads() async throws {
    let (folder, clock) = (LogFolder(), TestClock(autoAdvances: true))
    let logger = folder.logger(clock) { _ in .heads }
    let agent = LogFolder.agent(logger, clock, HTTPResponse(body: Data("answer".utf8)))
    let form = RequestBody.multipart(["note": "question"])
    _ = try await agent.send(OneOffRequest<Data>("a", method: .post, body: form, response: .data))
    await logger.flush()
    let line = try #require(try folder.page().all("send")[0]["curl"].string)
    #expect(line.contains("--data-binary @-") && !line.contains("question"))
  }

  @Test("A deferred body is a placeholder until its text is shown")
  func deferred() async throws {
    struct Decoding: RequestHooks {
      let logger: HTMLLogger
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        logger.show(#"{"decoded":1,"token":"abc"}"#, asBodyOf: context)
      }
    }
    let (folder, clock) = (LogFolder(), TestClock(autoAdvances: true))
    let logger = folder.logger(clock) { _ in .deferredBody }
    let agent = LogFolder.agent(
      logger, clock, hooks: [Decoding(logger: logger)], HTTPResponse(body: Data([1, 2, 0])))
    _ = try await agent.send(.get("a", as: Data.self))
    await logger.flush()
    let page = try folder.page()
    #expect(page.events == ["run", "start 1", "send 1", "body 1", "attempt 1", "stop 1"])
    #expect(page.all("attempt")[0]["body"]["kind"].string == "deferred")
    #expect(page.all("body")[0]["body"]["text"].string == #"{"decoded":1,"token":"<redacted>"}"#)
  }

  @Test("A body in memory is kept up to the limit, and no stream is read")
  func kept() throws {
    let url = try #require(URL(string: "https://a.example"))
    let sent = HTMLLogRequest(
      HTTPRequest(url: url, method: .post, body: .data(Data(count: 100))), keeping: 10)
    #expect((sent.request.body.data?.count, sent.length, sent.isCut) == (10, 100, true))
    let stream = RequestBody.stream(length: 4, contentType: "text/plain") {
      Issue.record("it was read")
      return AsyncStream<Data> { $0.finish() }
    }
    let streamed = HTMLLogRequest(HTTPRequest(url: url, method: .post, body: stream), keeping: 10)
    let body = HTMLLogBody(of: streamed, isOmitted: false, redaction: .standard, limits: .init())
    #expect((body.kind, body.length) == (.stream, 4))
  }
}

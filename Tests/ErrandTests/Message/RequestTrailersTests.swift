import Foundation
import Testing

@testable import Errand

@Suite("Trailers of a request")
struct RequestTrailersTests {
  struct Broken: Error, Equatable {}

  static let length = RequestTrailers.computed(names: ["X-Length"], from: 0, adding: { $0 += $1.count }) {
    ["X-Length": "\($0)"]
  }

  private func request(_ body: RequestBody, _ trailers: RequestTrailers) -> HTTPRequest {
    var request = HTTPRequest(url: URL(string: "http://a/")!, method: .post, body: body)
    request.trailers = trailers
    return request
  }

  /// The chunks, then `|`, and the trailers.
  private func sent(_ trailed: TransportRequest.TrailedBody) async throws -> String {
    var text = ""
    for try await chunk in trailed.stream { text += String(decoding: chunk, as: UTF8.self) + " " }
    return "\(text)| \(trailed.trailers?.description ?? "none yet")"
  }

  @Test("Trailers have their names, each once, and computed trailers their announced names")
  func names() {
    let known: RequestTrailers = ["X-A": "1", "x-a": "2", "X-B": ""]
    #expect(known.fields == ["X-A": "1", "x-a": "2", "X-B": ""] && known.names == ["X-A", "X-B"])
    #expect(known.announcement == "X-A, X-B" && !known.isEmpty && !known.isComputed)
    #expect(Self.length.fields == [:] && Self.length.names == ["X-Length"])
    #expect(!Self.length.isEmpty && Self.length.isComputed)
    for none in [RequestTrailers.none, [:], RequestTrailers(HTTPHeaders())] {
      #expect(none.isEmpty && !none.isComputed && none.names == [] && none.announcement == nil)
    }
    #expect(RequestTrailers.computed { [:] }.announcement == nil)
  }

  /// RFC 9110 section 6.5.1.
  static let refused: [(String, String)] = [
    ("Transfer-Encoding", "the field frames the message"), ("content-length", "the field frames the message"),
    ("Trailer", "the field frames the message"), ("Host", "the field routes the request"),
    ("Connection", "the field is for one connection"), ("Keep-Alive", "the field is for one connection"),
    ("Upgrade", "the field is for one connection"), ("TE", "the field is for one connection"),
    ("HTTP2-Settings", "the field is for one connection"),
    ("Proxy-Authorization", "the field is for a proxy"),
    ("proxy-connection", "the field is for a proxy"),
    ("Cache-Control", "the field controls the handling of the request"),
    ("Expect", "the field controls the handling of the request"),
    ("If-Match", "the field controls the handling of the request"),
    ("If-Modified-Since", "the field controls the handling of the request"),
    ("Range", "the field controls the handling of the request"),
    ("Accept", "the field controls the handling of the request"),
    ("Authorization", "the field contains credentials"), ("Cookie", "the field contains credentials"),
    ("Set-Cookie", "the field contains credentials"),
    ("Content-Encoding", "the field describes the body"),
    ("Content-Type", "the field describes the body"),
    ("CONTENT-RANGE", "the field describes the body"),
  ]

  @Test(
    "A field that is needed before the body is refused as a trailer and in the announcement",
    arguments: refused)
  func refusedNames(_ row: (String, String)) async {
    let text = "the field \(row.0) cannot be a trailer: \(row.1)"
    #expect(TrailerRules.problem(of: RequestTrailers(["X-A": "1", row.0: "x"])) == text)
    #expect(TrailerRules.problem(of: .computed(names: [row.0]) { [:] }) == text)
    let late = TransportRequest.TrailedBody(request(.text("body"), .computed { [row.0: "x"] }))
    await #expect(throws: TransportError(.invalidRequest, text)) { _ = try await sent(late!) }
    #expect(late?.trailers == nil)
  }

  @Test("An invalid header line is an invalid trailer")
  func lines() async {
    let rows: [(HTTPHeaders, String)] = [
      (["X-A": "1\r\nX-B: 2"], "the value of the trailer X-A contains a line break or a NUL"),
      (["X-A": "1\n\r\n0"], "the value of the trailer X-A contains a line break or a NUL"),
      (["X-A": "\0"], "the value of the trailer X-A contains a line break or a NUL"),
      (["X-A\r\nX-B": "1"], "the trailer name \"X-A…\" is not a token"),
      (["": "1"], "the trailer name \"\" is not a token"),
      (["X A": "1"], "the trailer name \"X…\" is not a token"),
    ]
    for (fields, text) in rows {
      #expect(TrailerRules.problem(of: RequestTrailers(fields)) == text)
      let late = TransportRequest.TrailedBody(request(.none, .computed { fields }))!
      await #expect(throws: TransportError(.invalidRequest, text)) { _ = try await sent(late) }
    }
    #expect(
      TrailerRules.problem(
        of: HTTPHeaders(dictionaryLiteral: ("X-A", ""), ("Content-Digest", "d"), ("X-B", "é\t;"))) == nil)
  }

  @Test("Each sending reads the body, then computes once, from the bytes in order")
  func sendings() async throws {
    let calls = Locked(0)
    let trailers = RequestTrailers.computed(from: "", adding: { $0 += String(decoding: $1, as: UTF8.self) }) {
      text in
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      return ["X-Call": "\(number)", "X-Text": text]
    }
    let body = RequestBody.stream(length: 5) { Chunks(["ab", "", "cde"]) }
    for number in 1...2 {
      let trailed = try #require(TransportRequest.TrailedBody(request(body, trailers)))
      #expect(trailed.length == 5 && trailed.trailers == nil)
      #expect(try await sent(trailed) == "ab cde | X-Call: \(number)\nX-Text: abcde")
      var again = trailed.stream.makeAsyncIterator()
      #expect(try await again.next() == nil && calls.withLock { $0 } == number)
    }
    let data = try #require(TransportRequest.TrailedBody(request(.text("abc"), Self.length)))
    #expect(try await sent(data) == "abc | X-Length: 3")
    let none = try #require(TransportRequest.TrailedBody(request(.none, ["X-A": "1"])))
    #expect(try await sent(none) == "| X-A: 1" && none.length == 0)
    #expect(TransportRequest.TrailedBody(request(.text("abc"), .none)) == nil)
  }

  @Test("A body with a wrong length or an error has no trailers, and nothing is computed")
  func brokenBodies() async {
    let isComputed = Locked(false)
    let trailers = RequestTrailers.computed {
      isComputed.withLock { $0 = true }
      return [:]
    }
    let rows: [(RequestBody, any Error)] = [
      (
        .stream(Chunks(["abc"]), length: 4),
        TransportError(.encoding, "the body stream ended after 3 of the 4 bytes it promised")
      ),
      (
        .stream(Chunks(["abc"]), length: 2),
        TransportError(.encoding, "the body stream gave more than the 2 bytes it promised")
      ),
      (.stream(Chunks(["abc"], failure: Broken())), Broken()),
    ]
    for (body, error) in rows {
      let trailed = TransportRequest.TrailedBody(request(body, trailers))!
      let thrown = await #expect(throws: (any Error).self) { _ = try await sent(trailed) }
      #expect(thrown.map { String(reflecting: $0) } == String(reflecting: error) && trailed.trailers == nil)
    }
    #expect(!isComputed.withLock { $0 })
  }

  @Test("An error of the computation is thrown unchanged by the body's stream, once")
  func throwing() async throws {
    let trailed = TransportRequest.TrailedBody(request(.text("abc"), .computed { throw Broken() }))!
    await #expect(throws: Broken()) { _ = try await sent(trailed) }
    var again = trailed.stream.makeAsyncIterator()
    #expect(try await again.next() == nil && trailed.trailers == nil)
  }

  @Test("Forbidden fields are left out of known trailers, and later of computed trailers")
  func filtered() async throws {
    let passes: @Sendable (HTTPHeaders.Field) -> Bool = { $0.name.hasPrefix("X-") }
    let known = RequestTrailers(["X-A": "1", "Key": "2"]).filtered(passes)
    #expect(known.fields == ["X-A": "1"] && known.names == ["X-A"])
    #expect(
      RequestTrailers(["Key": "2"]).filtered(passes).isEmpty && RequestTrailers.none.filtered(passes).isEmpty)
    let computed = RequestTrailers.computed(names: ["Key", "X-A"]) { ["Key": "2", "X-A": "1"] }.filtered(
      passes)
    #expect(computed.names == ["X-A"] && computed.isComputed)
    #expect(try await sent(TransportRequest.TrailedBody(request(.text("abc"), computed))!) == "abc | X-A: 1")
  }

  @Test("Printed trailers have redacted secrets, and show computed names")
  func printed() {
    let known: RequestTrailers = ["X-Sum": "1", "X-Api-Key": "hunter2"]
    #expect("\(known)" == "X-Sum: 1; X-Api-Key: <redacted>" && "\(RequestTrailers.none)" == "none")
    #expect("\(Self.length)" == "computed after the body: X-Length")
    #expect("\(RequestTrailers.computed { [:] })" == "computed after the body")
    var text = ""
    dump(request(.text("abc"), known), to: &text)
    #expect(!text.contains("hunter2") && text.contains("X-Sum: 1"))
    #expect(
      request(.text("abc"), known).debugDescription
        == "POST http://a/\n\nabc\n\nX-Sum: 1; X-Api-Key: <redacted>")
    #expect(
      request(.none, Self.length).debugDescription == "POST http://a/\n\ncomputed after the body: X-Length")
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("Requests refused before sending")
struct RefusedRequestTests {
  struct Fetch: Request {
    typealias Response = String
    let path = "things"
  }

  static let refused: [(HTTPHeaders, HTTPMethod, String)] = [
    (["X-A": "a\r\nX-B: b"], .get, "the value of the header X-A contains a line break or a NUL"),
    (["X-A": "a\0"], .get, "the value of the header X-A contains a line break or a NUL"),
    (["X A": "a"], .get, "the header name \"X…\" is not a token"),
    (["": "a"], .get, "the header name \"\" is not a token"),
    (["content-length": "3"], .get, "the header content-length frames the message and cannot be set"),
    (
      ["Transfer-Encoding": "chunked"], .get,
      "the header Transfer-Encoding frames the message and cannot be set"
    ),
    (["Host": "evil"], .get, "the header Host frames the message and cannot be set"),
    ([:], "GET / HTTP/1.1\r\nX: y", "the method \"GET / HTTP/1.1\\r\\nX: y\" is not a token"),
  ]

  @Test("A request that breaks the framing is refused before sending", arguments: refused)
  func refusedHeaders(_ row: (HTTPHeaders, HTTPMethod, String)) async throws {
    struct Own: Request {
      typealias Response = Void
      var headers: HTTPHeaders
      var method: HTTPMethod
    }
    struct Adding: RequestHooks {
      var added: HTTPHeaders
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers.merge(added)
      }
    }
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://example.com", transport: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Own(headers: row.0, method: row.1))
    }
    #expect(error.kind == .invalidRequest)
    #expect(error.stage == .build)
    #expect(error.reason == row.2)

    guard row.1 == .get else { return }
    let hooked = RequestAgent(
      baseURL: "http://example.com", transport: transport, hooks: [Adding(added: row.0)])
    let late = try await #require(throws: RequestError.self) { try await hooked.send(Fetch()) }
    #expect(late.stage == .filterRequest)
    #expect(late.reason == row.2)
    #expect(transport.requests.isEmpty)
  }

  @Test("A body stream on a transport without streams is an early error")
  func unsupported() async throws {
    struct Upload: Request {
      typealias Response = Void
      let method = HTTPMethod.post
      var body: RequestBody { .stream(AsyncStream<Data> { $0.finish() }) }
    }
    let transport = FunctionTransport(capabilities: TransportCapabilities(streamsUploads: false))
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(baseURL: "http://example.com", transport: transport).send(Upload())
    }
    #expect(error.kind == .unsupported)
    #expect(error.reason == "the transport cannot send a body as a stream")
    #expect(transport.requests.isEmpty)
  }

  @Test("A value that cannot be encoded is a build error and nothing is sent")
  func encoding() async throws {
    struct Bad: Request {
      typealias Response = Void
      let method = HTTPMethod.post
      var body: RequestBody { .json(["x": Double.nan]) }
    }
    let transport = FunctionTransport()
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(baseURL: "http://example.com", transport: transport).send(Bad())
    }
    #expect(error.kind == .encoding)
    #expect(error.stage == .build)
    #expect(error.cause(as: EncodingError.self) != nil)
    #expect(transport.requests.isEmpty)
  }

  @Test("A value that a hook sets and that cannot be encoded is an encoding error", arguments: [true, false])
  func encodingInHook(_ isPart: Bool) async throws {
    struct Bad: Request {
      typealias Response = Void
      let method = HTTPMethod.post
      let isPart: Bool
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        let value = RequestBody.json(["x": Double.nan])
        request.body = isPart ? .multipart([BodyPart(name: "a", body: value)]) : value
      }
    }
    let transport = FunctionTransport()
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(baseURL: "http://example.com", transport: transport).send(Bad(isPart: isPart))
    }
    #expect(error.kind == .encoding)
    #expect(error.stage == .filterRequest)
    #expect(error.cause(as: EncodingError.self) != nil)
    #expect(transport.requests.isEmpty)
  }
}

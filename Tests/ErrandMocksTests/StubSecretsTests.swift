import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Secrets of stubs and requests in messages")
struct StubSecretsTests {
  struct Find: Request {
    typealias Response = String
    var code: Secret
    let path = "find"
    var parameters: Parameters { ["code": code] }
  }

  struct Message: Request {
    typealias Response = String
    var key: Secret
    var path: String { "bot\(key.reveal())/send" }
  }

  private static func cause(of request: some Request, to transport: MockTransport) async throws -> String {
    let error = await #expect(throws: RequestError.self) {
      _ = try await RequestAgent.mocked(by: transport).response(for: request)
    }
    return try #require(error?.cause(as: TransportError.self)).message
  }

  @Test("A secret parameter is redacted in the difference, on both sides")
  func parameters() async throws {
    let stub = Stub(answering: Find(code: "wanted/s3cr3t"), with: "ok")
    let cause = try await Self.cause(of: Find(code: "sent/s3cr3t"), to: MockTransport([stub]))
    #expect(
      cause == """
        no stub answers GET https://mocked.example/find?code=<redacted>; the only stub:
        1. \(stub): query item code is <redacted> (11 characters), \
        not <redacted> (13 characters, differs at character 1)
        """)
  }

  @Test("A secret in a path is redacted in the stub, in the difference, and in the list of unused stubs")
  func paths() async throws {
    let stub = Stub(answering: Message(key: "wanted/s3cr3t"), with: "ok")
    #expect("\(stub)" == "GET **/bot<redacted>/send (StubSecretsTests.swift:\(stub.line))")
    let transport = MockTransport([stub])
    let cause = try await Self.cause(of: Message(key: "sent s3cr3t"), to: transport)
    #expect(
      cause == """
        no stub answers GET https://mocked.example/bot<redacted>/send; the only stub:
        1. \(stub): path is /bot<redacted>/send, not **/bot<redacted>/send
        """)
    let unused = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(
      unused?.description
        == "1 stub was never used: GET **/bot<redacted>/send (StubSecretsTests.swift:\(stub.line))")
    #expect(try await RequestAgent.mocked(by: transport).send(Message(key: "wanted/s3cr3t")) == "ok")
  }

  @Test("A secret of a stub is redacted where another stub or the request contains the secret")
  func others() async throws {
    let transport = MockTransport([
      Stub(answering: Message(key: "s3cr3t-value"), with: "ok"),
      Stub(.get, "/bots3cr3t-value/receive", answers: .status(200)).header("X-Key", "s3cr3t-value"),
    ])
    let message = try await transport.refusal(
      of: .post, "https://h/bots3cr3t-value/send", headers: ["X-Key": "old s3cr3t-value"])
    #expect(!message.contains("s3cr3t"), "\(message)")
    #expect(
      message.contains(
        "header X-Key is old <redacted>, not <redacted> (12 characters, differs at character 1)"),
      "\(message)")
  }

  @Test("An echoed credential of the request is redacted under another name")
  func credentials() async throws {
    let stub = Stub(.post, "/a", answers: .status(200)).query("q", "1").header("X-Echo", "1")
      .jsonBody(#"{"a":"1"}"#).formBody(["b": "1"])
    let message = try await MockTransport([stub]).refusal(
      of: .post, "https://h/a?q=canary-token",
      headers: ["Authorization": "Bearer canary-token", "X-Echo": "canary-token"],
      body: .text(#"{"a":"canary-token"}"#))
    #expect(
      message == """
        no stub answers POST https://h/a?q=<redacted>; the only stub:
        1. \(stub): query item q is <redacted> (12 characters), not 1; \
        header X-Echo is <redacted> (12 characters), not 1; \
        body at a is "<redacted>", not "1"; body field b is missing, not 1
        """)
  }

  @Test("A truncated value is redacted before the truncation")
  func cut() async throws {
    let secret = String(repeating: "s3cr3t", count: 20)
    let stub = Stub(answering: Find(code: Secret(secret)), with: "ok").header("X-A", "1")
    let message = try await MockTransport([stub]).refusal(
      of: .get, "https://h/find?code=x", headers: ["X-A": "a \(secret)"])
    #expect(
      message.hasSuffix(
        "query item code is x, not <redacted> (120 characters, differs at character 1); header X-A is a <redacted>, not 1"
      ))
  }

  @Test("A server redacts the secrets of its typed stubs")
  func server() throws {
    let server = try MockServer()
    let stub = Stub(answering: Message(key: "wanted-s3cr3t"), with: "ok")
    server.add(stub)
    let answer = try RawClient.get("/botwanted-s3cr3t/receive", port: server.port)
    #expect(
      answer.hasSuffix(
        """
        no route answers GET /bot<redacted>/receive; the only route:
        1. \(stub): path is /bot<redacted>/receive, not **/bot<redacted>/send
        """))
  }
}

import Errand
import ErrandMocks
import Foundation
import Testing

/// Every status, method, body and change of origin over real sockets.
@Suite("Redirects over real sockets")
struct RedirectTableTests {
  enum Body: CaseIterable { case none, data, replayable, oneShot }
  enum Change: CaseIterable { case none, port, host }

  static let codes = [301, 302, 303, 307, 308]
  static let methods: [HTTPMethod] = [.get, .head, .post, .put, .delete]

  /// In the order of `methods`; `-`: the request lost its body.
  static let followed: [Int: [String]] = [
    301: ["GET", "HEAD", "GET-", "PUT", "DELETE"],
    302: ["GET", "HEAD", "GET-", "PUT", "DELETE"],
    303: ["GET-", "HEAD-", "GET-", "GET-", "GET-"],
    307: ["GET", "HEAD", "POST", "PUT", "DELETE"],
    308: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  ]

  static let text = "the body, sent again"

  struct Call: Request {
    typealias Response = HTTPResponse
    let path = "from/here"
    let method: HTTPMethod
    let kind: Body
    var headers: HTTPHeaders {
      [
        "Prefer": "plain", "Content-Language": "en", "Authorization": "Bearer a", "Cookie": "b=c",
        "Proxy-Authorization": "Basic d", "X-Api-Key": "e",
      ]
    }
    var body: RequestBody {
      switch kind {
      case .none: .none
      case .data: .text(RedirectTableTests.text, contentType: "text/x")
      case .replayable: .stream(contentType: "text/x") { Self.chunks }
      case .oneShot: .stream(Self.chunks, contentType: "text/x")
      }
    }
    static var chunks: AsyncStream<Data> {
      AsyncStream { stream in
        for part in ["the body,", " sent again"] { stream.yield(Data(part.utf8)) }
        stream.finish()
      }
    }
  }

  /// The first server redirects to `/to/there` on itself or on the second server.
  struct Servers {
    let first: MockServer
    let second: MockServer
    let target: URL

    init(_ code: Int, _ change: Change) throws {
      (first, second) = (try MockServer(), try MockServer())
      switch change {
      case .none: target = first.baseURL
      case .port: target = second.baseURL
      case .host: target = try #require(URL(string: "http://localhost:\(second.port)"))
      }
      let answer = MockAnswer.text("moved", status: HTTPResponse.Status(code))
        .header("Location", change == .none ? "../to/there?x=1#top" : "\(target)/to/there?x=1#top")
      first.route(nil, "/from/here", answers: answer)
      for server in [first, second] { server.route(nil, "/to/there", answers: .text("arrived")) }
    }

    var arrived: [ReceivedRequest] { (first.requests + second.requests).filter { $0.path == "/to/there" } }
  }

  @Test("Method, body and headers follow RFC 9110", arguments: codes, Change.allCases)
  func table(_ code: Int, _ change: Change) async throws {
    for (method, expected) in zip(Self.methods, try #require(Self.followed[code])) {
      for body in Body.allCases {
        try await check(Servers(code, change), Call(method: method, kind: body), expected, code, change)
      }
    }
  }

  private func check(
    _ servers: Servers, _ call: Call, _ expected: String, _ code: Int, _ change: Change
  ) async throws {
    let row = Comment("\(code) \(call.method) \(call.kind) \(change)")
    let agent = RequestAgent(baseURL: servers.first.baseURL)
    let losesBody = expected.hasSuffix("-")
    if call.kind == .oneShot, !losesBody {
      let error = await #expect(throws: RequestError.self, row) { try await agent.send(call) }
      #expect(
        error?.reason == "status \(code) requires the body again, but the body can be produced only once", row
      )
      #expect(servers.arrived.isEmpty, row)
      return
    }
    let response = try await agent.send(call)
    #expect(response.url?.absoluteString == "\(servers.target)/to/there?x=1#top", row)
    let arrived = try #require(servers.arrived.first, row)
    #expect(servers.arrived.count == 1 && arrived.query == "x=1", row)
    #expect(arrived.method.token == expected.filter { $0 != "-" }, row)
    let hasBody = call.kind != .none && !losesBody
    #expect(arrived.text == (hasBody ? Self.text : ""), row)
    #expect(fields(of: arrived) == fields(hasBody: hasBody, losesBody: losesBody, change), row)
  }

  private func fields(of request: ReceivedRequest) -> [String] {
    let watched = [
      "prefer", "content-language", "content-type", "authorization", "cookie", "proxy-authorization",
      "x-api-key",
    ]
    return request.headers.fields.filter { watched.contains($0.name.lowercased()) }
      .map { "\($0.name): \($0.value)" }.sorted()
  }

  private func fields(hasBody: Bool, losesBody: Bool, _ change: Change) -> [String] {
    var fields = ["Prefer: plain"]
    if hasBody { fields.append("Content-Type: text/x") }
    if !losesBody { fields.append("Content-Language: en") }
    if change == .none {
      fields += ["Authorization: Bearer a", "Cookie: b=c", "Proxy-Authorization: Basic d", "X-Api-Key: e"]
    }
    return fields.sorted()
  }
}

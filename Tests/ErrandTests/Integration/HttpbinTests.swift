import Errand
import Foundation
import Testing

/// Runs against httpbin behind a WSGI server; `.ci/run` starts the server.
@Suite(
  "Against httpbin",
  .enabled(if: Server.httpbin != nil, "set ERRAND_HTTPBIN to the URL of an httpbin to run these"))
struct HttpbinTests {
  let agent = RequestAgent(baseURL: Server.httpbin)

  struct Echo: Decodable, Sendable {
    var args: [String: [String]]?
    var form: [String: String]?
    var data: String?
    var headers: [String: String]
    var method: String?
    var url: String
  }

  struct Anything: Request {
    typealias Response = Echo
    var method: HTTPMethod = .get
    var parameters: Parameters = [:]
    var requestSerializer: RequestSerializer = .form
    var body: RequestBody = .automatic
    var headers: HTTPHeaders = [:]
    let path = "anything"
  }

  static let everyMethod: [HTTPMethod] = [.get, .post, .put, .patch, .delete, "TEST"]

  @Test("Each method arrives unchanged", arguments: everyMethod)
  func methods(_ method: HTTPMethod) async throws {
    if method == "TEST" {
      let error = try await #require(throws: RequestError.self) {
        try await agent.send(Anything(method: method))
      }
      #expect(error.status == 405)
    } else {
      #expect(try await agent.send(Anything(method: method)).method == method.token)
    }
  }

  @Test("HEAD has a head and no body")
  func head() async throws {
    let response = try await agent.send(.head("get"))
    #expect(response.status == 200)
    #expect(response.headers["Content-Length"].flatMap { Int($0) } ?? 0 > 0)
    #expect(response.body.isEmpty)
  }

  @Test("A form arrives as written")
  func form() async throws {
    let echo = try await agent.send(
      Anything(method: .post, parameters: ["b": "x y", "a": "é&=+", "nested": .object(["k": 1])]))
    #expect(echo.form?["b"] == "x y")
    #expect(echo.form?["a"] == "é&=+")
    #expect(echo.form?["nested[k]"] == "1")
    #expect(echo.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test("JSON arrives as written")
  func json() async throws {
    let echo = try await agent.send(
      Anything(method: .post, parameters: ["n": 1, "s": "é"], requestSerializer: .json))
    #expect(echo.data == #"{"n":1,"s":"é"}"#)
    #expect(echo.headers["Content-Type"] == "application/json")
  }

  @Test("A query arrives as written, with every delimiter")
  func query() async throws {
    struct Query: Request {
      struct Response: Decodable, Sendable { var args: [String: String] }
      let path = "get"
      let parameters: Parameters = ["k": "!*'();:@&=+$,/?%#[] é"]
    }
    #expect(try await agent.send(Query()).args == ["k": "!*'();:@&=+$,/?%#[] é"])
  }

  @Test("A streamed body of unknown length arrives in chunks")
  func stream() async throws {
    let body = RequestBody.stream(contentType: "text/plain") {
      AsyncStream<Data> { stream in
        for index in 0..<100 { stream.yield(Data("line \(index)\n".utf8)) }
        stream.finish()
      }
    }
    let echo = try await agent.send(Anything(method: .post, body: body))
    #expect(echo.data == (0..<100).map { "line \($0)\n" }.joined())
    #expect(echo.headers["Transfer-Encoding"] == "chunked")
  }

  static let codings = ["gzip", "deflate"]

  @Test("A coded body is decoded", arguments: codings)
  func coded(_ coding: String) async throws {
    let received = try await agent.response(for: .get(coding, as: String.self))
    #expect(received.response.headers["Content-Encoding"] == coding)
    #expect(received.value.contains("\"\(coding == "gzip" ? "gzipped" : "deflated")\": true"))
  }

  static let statuses = [200, 204, 304, 400, 401, 404, 418, 500, 503]

  @Test("A status is reported before decoding", arguments: statuses)
  func status(_ code: Int) async throws {
    let call = OneOffRequest.get("status/\(code)", as: Data.self)
    if (200..<300).contains(code) {
      _ = try await agent.send(call)
    } else {
      let error = try await #require(throws: RequestError.self) { try await agent.send(call) }
      #expect(error.kind == .status)
      #expect(error.status == HTTPResponse.Status(code))
    }
  }

  @Test("Basic credentials are sent with the first request, and wrong credentials are a 401")
  func basic() async throws {
    var call = OneOffRequest.get("basic-auth/ada/secret", as: Data.self).with(\.path, "basic-auth/ada/secret")
    let credentials = try #require(BasicCredentials(username: "ada", password: "secret"))
    call = call.with(\.headers, .basic(credentials))
    #expect(try await agent.response(for: call).report.attempts.count == 1)
    let wrong = try #require(BasicCredentials(username: "ada", password: "guess"))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(call.with(\.headers, .basic(wrong)))
    }
    #expect(error.status == 401)
  }

  @Test("HTML instead of JSON is refused by its type, and its text is in the error")
  func contentType() async throws {
    let call = OneOffRequest.get("html", as: [Int].self)
      .with(\.validators, [.status(200..<300), .contentType("application/json")])
    let error = try await #require(throws: RequestError.self) { try await agent.send(call) }
    #expect(error.reason == "content type text/html is not application/json")
    #expect(error.response?.body.starts(with: Data("<!DOCTYPE html>".utf8)) == true)
  }

  @Test("Redirects are followed, relative and absolute", arguments: ["redirect/3", "absolute-redirect/3"])
  func redirects(_ path: String) async throws {
    let received = try await agent.response(for: .get(path, as: Echo.self))
    #expect(received.value.url.hasSuffix("/get"))
    #expect(received.response.url?.path == "/get")
    #expect(received.report.attempts.first?.redirects.map(\.status) == [302, 302, 302])
  }

  @Test("A redirect that is not followed is returned unchanged")
  func unfollowed() async throws {
    let call = OneOffRequest.get("redirect/1", as: Data.self).with(\.redirectPolicy, .none)
    let error = try await #require(throws: RequestError.self) { try await agent.send(call) }
    #expect(error.status == 302)
    #expect(error.response?.headers["Location"] == "/get")
  }

  @Test("Ten redirects are followed, and the eleventh is an error")
  func tooMany() async throws {
    #expect(try await agent.send(.get("redirect/10", as: Echo.self)).url.hasSuffix("/get"))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("redirect/11")) }
    #expect(error.reason == "10 redirects were followed, and the server sent another")
  }

  @Test("A body is sent again after 307 and 308, and not after 302", arguments: [302, 307, 308])
  func replayed(_ code: Int) async throws {
    struct Call: Request {
      typealias Response = Echo
      let path = "redirect-to"
      let method = HTTPMethod.post
      let code: Int
      var query: Parameters { ["url": "/anything", "status_code": code] }
      var body: RequestBody { .text("again") }
    }
    let echo = try await agent.send(Call(code: code))
    #expect(echo.method == (code == 302 ? "GET" : "POST"))
    #expect(echo.data == (code == 302 ? "" : "again"))
  }

  @Test("An attempt without progress ends at a timeout below a second")
  func timeout() async throws {
    let call = OneOffRequest.get("delay/10", as: Data.self).with(\.timeout, .milliseconds(300))
    let error = try await #require(throws: RequestError.self) { try await agent.send(call) }
    #expect(error.kind == .timedOut)
  }

  @Test("UTF-8 text is decoded, and bytes arrive unchanged")
  func bodies() async throws {
    #expect(try await agent.send(.get("encoding/utf8", as: String.self)).contains("∮ E⋅da = Q"))
    #expect(try await agent.send(.get("bytes/10000?seed=1", as: Data.self)).count == 10_000)
    #expect(try await agent.send(.get("stream-bytes/10000?chunk_size=7", as: Data.self)).count == 10_000)
  }
}

extension HttpbinTests {
  @Test("A multipart form is parsed: names, types and bytes")
  func multipart() async throws {
    struct Echo: Decodable, Sendable {
      var form: [String: Form]
      var files: [String: Form]
      var headers: [String: String]
    }
    enum Form: Decodable, Equatable {
      case one(String)
      case several([String])

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let one = try? container.decode(String.self) {
          self = .one(one)
        } else {
          self = .several(try container.decode([String].self))
        }
      }
    }
    let directory = TemporaryDirectory()
    let bytes = Data((0...255).map { UInt8($0) })
    let file = try directory.file("a \"b\" é.png", bytes)
    let echo = try await agent.send(
      .post(
        "post",
        parameters: [
          "photo": .file(file), "title": "x\r\n--y é", "tags": ["a", "b"],
          "text": .file(data: Data("hello".utf8), name: "hello.txt"),
        ], as: Echo.self))
    #expect(echo.form == ["title": .one("x\r\n--y é"), "tags[]": .several(["a", "b"])])
    #expect(
      echo.files == [
        "photo": .one("data:image/png;base64,\(bytes.base64EncodedString())"), "text": .one("hello"),
      ])
    #expect(echo.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=errand-") == true)
    #expect(echo.headers["Transfer-Encoding"] == nil)
  }

  @Test(
    "Passwords for Digest and Basic are accepted, and a wrong password is refused",
    arguments: [
      "digest-auth/auth/ada/right/MD5", "digest-auth/auth/ada/right/SHA-256",
      "digest-auth/auth-int,auth/ada/right",
      "basic-auth/ada/right",
    ])
  func passwords(_ path: String) async throws {
    for password in ["right", "wrong"] {
      var configuration = AgentConfiguration()
      configuration.authenticator = BasicCredentials(username: "ada", password: password).map {
        PasswordAuthenticator($0)
      }
      let agent = RequestAgent(baseURL: Server.httpbin, configuration: configuration)
      if password == "right" {
        let texts = try await [
          agent.send(.get(path, as: String.self)), agent.send(.get(path, as: String.self)),
        ]
        #expect(texts.allSatisfy { $0.contains("\"authenticated\": true") })
      } else {
        let error = try await #require(throws: RequestError.self) { try await agent.send(.get(path)) }
        #expect(error.status == 401 && error.attempts == 2)
      }
    }
  }
}

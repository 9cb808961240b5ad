import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Segments of paths")
struct PathSegmentTests {
  static let values: [(String, String)] = [
    ("ada", "ada"), ("Ada-1_2.3~", "Ada-1_2.3~"), ("a/b", "a%2Fb"), ("a\\b", "a%5Cb"), ("50%", "50%25"),
    ("%2F", "%252F"), ("%2e%2e", "%252e%252e"), ("who?x=1", "who%3Fx%3D1"), ("a#b", "a%23b"),
    ("a b+c", "a%20b%2Bc"), ("http://evil.example/x", "http%3A%2F%2Fevil.example%2Fx"),
    ("a;v=1", "a%3Bv%3D1"), ("me@example.com", "me%40example.com"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"),
    ("\u{301}", "%CC%81"), ("👩‍🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"), ("a\r\nb\u{0}", "a%0D%0Ab%00"),
    ("...", "..."), (".hidden", ".hidden"), ("a..b/c.d", "a..b%2Fc.d"),
    ("<>\"{}|^`", "%3C%3E%22%7B%7D%7C%5E%60"),
  ]

  @Test("A value with any characters is a single segment", arguments: values)
  func encoded(_ row: (String, String)) throws {
    #expect("users/\(segment: row.0)/posts" == "users/\(row.1)/posts")
    for base in ["http://h/v1", "http://h/v1?key=k"] {
      let path = "users/\(segment: row.0)/posts"
      let url = try URLJoining.url(base: base, path: path, query: [])
      #expect(url.absoluteString == base.replacing("/v1", with: "/v1/users/\(row.1)/posts"))
      // The server splits at slashes, then decodes.
      let segments = url.absoluteString.split(separator: "?")[0].components(separatedBy: "/")
      #expect(segments.count == 7)
      #expect(segments[5].removingPercentEncoding == row.0)
    }
  }

  @Test("Numbers, letters, substrings and UUIDs are segments too")
  func types() {
    let id = UUID(uuidString: "0F9619FF-8B86-D011-B42D-00CF4FC964FF")!
    #expect("\(segment: 7)/\(segment: UInt8(255))" == "7/255")
    #expect("\(segment: -1.5)/\(segment: true)" == "-1.5/true")
    #expect("\(segment: Character("/"))/\(segment: "a/b".dropFirst())" == "%2F/%2Fb")
    #expect("\(segment: id)" == "0F9619FF-8B86-D011-B42D-00CF4FC964FF")
  }

  /// A path, and the refused segment.
  static let dots: [(String, String)] = [
    ("users/\(segment: "..")", "%2E%2E"), ("users/\(segment: ".")/x", "%2E"),
    ("\(segment: "..")/x", "%2E%2E"),
    ("/users/\(segment: "../admin")?x", "..%2Fadmin"), ("users/\(segment: "a/../..")", "a%2F..%2F.."),
    ("users/\(segment: "..\\admin")", "..%5Cadmin"), ("users/\(segment: "a/./b")", "a%2F.%2Fb"),
    ("users/.\(segment: ".")", ".%2E"), ("users/\(segment: ".")\(segment: "./x")", "%2E.%2Fx"),
    ("users/%2e%2E/x", "%2e%2E"), ("users/.%2e", ".%2e"),
  ]

  @Test("A dot segment is refused behind any escape", arguments: dots)
  func refused(_ row: (String, String)) throws {
    let path = row.0.split(separator: "?")[0]
    let message =
      "the segment \"\(row.1)\" of the path \"\(path)\" becomes a dot segment when decoded, which changes the path"
    #expect(throws: Refusal(message, kind: .invalidURL)) {
      try URLJoining.url(base: "http://h/v1", path: row.0, query: [])
    }
  }

  @Test(
    "An empty value is refused in any position",
    arguments: [
      "users/\(segment: "")", "\(segment: "")/users", "users/\(segment: "")\u{301}", "x?a=\(segment: "")",
    ])
  func empty(_ path: String) async throws {
    let agent = RequestAgent(baseURL: "http://h", transport: FunctionTransport())
    let error = try await #require(throws: RequestError.self) { try await agent.send(.delete(path)) }
    #expect(error.kind == .invalidURL && error.stage == .build)
    #expect(error.reason.hasSuffix("has a segment made of an empty value"))
    #expect(!"\(error)".unicodeScalars.contains { $0.value == 0xFDD0 })
  }

  @Test("An empty value is refused in a data URL")
  func emptyInData() async throws {
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent().send(.get("data:text/plain,a\(segment: "")b"))
    }
    #expect(error.kind == .invalidURL && error.stage == .build)
    #expect(error.reason == "the path \"data:…\" has a segment made of an empty value")
  }

  @Test("The refusal of an empty value shows its position")
  func shown() {
    let message = "the path \"users/<empty>/posts\" has a segment made of an empty value"
    #expect(throws: Refusal(message, kind: .invalidURL)) {
      try URLJoining.url(base: "http://h", path: "users/\(segment: "")/posts", query: [])
    }
  }

  @Test("Literal dot segments stay, and so do those of an absolute URL from a server")
  func kept() throws {
    for path in ["../x", "a/./b", "http://h/%2E%2E/x"] {
      #expect(throws: Never.self) { try URLJoining.url(base: "http://h/v1", path: path, query: []) }
    }
  }

  @Test("A server gets each value unchanged over a real connection")
  func arrives() async throws {
    let server = try MockServer()
    server.route(.get, "/**", answers: .text("ok"))
    let agent = RequestAgent(baseURL: server.baseURL.appending(path: "v1"))
    for (value, text) in Self.values {
      _ = try await agent.send(.get("users/\(segment: value)/posts"))
      let target = try #require(server.requests.last).target
      #expect(target == "/v1/users/\(text)/posts")
    }
    #expect(server.requestCount == Self.values.count)
  }

  @Test("An empty value is refused in an absolute URL")
  func whole() async throws {
    struct Custom: Request {
      typealias Response = Void
      let customRequest: HTTPRequest?
    }
    let agent = RequestAgent(transport: FunctionTransport())
    let empty = ""
    let path = "https://api.example.com/users/\(segment: empty)/x"
    let url = try #require(URL(string: path))
    for send in [
      { try await agent.send(.get(path)) },
      { try await agent.send(Custom(customRequest: HTTPRequest(url: url))) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: RequestError.self) { try await send() }
      #expect(error?.kind == .invalidURL)
      #expect(error?.reason.hasSuffix("has a segment made of an empty value") == true)
    }
  }

  @Test("explain reports a path that leaves the base by dot segments")
  func leaving() async throws {
    let agent = RequestAgent(baseURL: "https://api.example.com/v1/", transport: FunctionTransport())
    func told(_ path: String, _ base: URL? = nil) async throws -> [String] {
      let request = OneOffRequest<Void>.get(path)
      let explanation =
        if let base { try await agent.explain(request.with(\.baseURL, base)) } else {
          try await agent.explain(request)
        }
      return explanation.settings.filter { $0.name == "path" }.map { "\($0.value) (\($0.source))" }
    }
    let outside = "leaves the base: its dot segments lead to"
    #expect(try await told("../admin?x=1") == ["\(outside) /admin (request)"])
    #expect(try await told("users/../../v10/x") == ["\(outside) /v10/x (request)"])
    #expect(try await told("..") == ["\(outside) / (request)"])
    #expect(
      try await told("../v2", URL(string: "https://own.example.com/v1")!) == ["\(outside) /v2 (request)"])
    for path in ["users/7", "users/../x", "../v1/x", "../v1", "", "https://other.example.com/../x"] {
      #expect(try await told(path) == [], "\(path)")
    }
    #expect(try await told("../x", URL(string: "https://own.example.com")!) == [])
  }
}

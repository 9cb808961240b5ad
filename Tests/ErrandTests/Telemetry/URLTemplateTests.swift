import Foundation
import Testing

@testable import Errand

@Suite("The template of a URL")
struct URLTemplateTests {
  enum Kind: String, Sendable { case open, closed }
  struct Owner: Sendable { var name: String }

  struct GetIssue: Request {
    typealias Response = Data
    var path = ""
    var owner = Owner(name: "ada l")
    var number: Int? = 42
    var kind = Kind.open
    var id = UUID()
    var key = Secret("s3cret")
  }

  static func template(of request: some Request, at url: String) throws -> String? {
    URLTemplate(of: request, sentTo: try #require(URL(string: url)))?.text
  }

  @Test(
    "Segments that are values of properties are named after the properties, nested properties by both names")
  func properties() throws {
    var request = GetIssue()
    request.path = "repos/ada%20l/issues/42/open/\(request.id.uuidString.lowercased())/s3cret?x=42"
    let url = "https://api.example.com/v3/\(request.path)"
    #expect(
      try Self.template(of: request, at: url) == "/v3/repos/{owner.name}/issues/{number}/{kind}/{id}/{key}")
  }

  @Test("Numbers and UUIDs outside of properties become placeholders")
  func general() throws {
    var request = GetIssue()
    request.path = "/a/7/\(UUID().uuidString)/v2/"
    #expect(try Self.template(of: request, at: "https://b/x\(request.path)") == "/x/a/{number}/{uuid}/v2")
  }

  @Test("An absolute path keeps its path, and a URL changed by a hook hides the base")
  func places() throws {
    var request = GetIssue()
    request.path = "https://other.example/a/42"
    #expect(try Self.template(of: request, at: request.path) == "/a/{number}")
    request.path = "a/42"
    #expect(try Self.template(of: request, at: "https://b/v1/elsewhere") == "/a/{number}")
    request.path = ""
    #expect(try Self.template(of: request, at: "https://b/v1") == "/v1")
    #expect(try Self.template(of: request, at: "https://b") == "/")
  }

  @Test("An explicit template is used, also from an override")
  func stated() throws {
    struct Stated: Request {
      typealias Response = Data
      let path = "a/7"
      let urlTemplate: String? = "/a/{which}"
    }
    #expect(try Self.template(of: Stated(), at: "https://b/a/7") == "/a/{which}")
    #expect(try Self.template(of: Stated().with(\.urlTemplate, "/o"), at: "https://b/a/7") == "/o")
    let quick = OneOffRequest<Data>("a/7", response: .data)
    #expect(try Self.template(of: quick.with(\.urlTemplate, "/a/{id}"), at: "https://b/a/7") == "/a/{id}")
  }

  @Test(
    "Undeclared paths, objects and types with a custom mirror have no template")
  func unknown() throws {
    final class Object: Request {
      typealias Response = Data
      let path = "a"
    }
    struct Mirrored: Request, CustomReflectable {
      typealias Response = Data
      let path = "a"
      var customMirror: Mirror { Mirror(self, children: []) }
    }
    #expect(try Self.template(of: OneOffRequest<Data>("a", response: .data), at: "https://b/a") == nil)
    #expect(try Self.template(of: Object(), at: "https://b/a") == nil)
    #expect(try Self.template(of: Mirrored(), at: "https://b/a") == nil)
  }

  struct GetPosts: Request {
    typealias Response = Data
    let name: String
    var path: String { "users/\(segment: name)/posts" }
  }

  @Test("A base has placeholders for numbers, and properties if the base is the request's own")
  func bases() throws {
    struct GetUser: Request {
      typealias Response = Data
      let id: Int
      var tenant = "acme"
      var path: String { "users/\(id)" }
      var baseURL: URL?
    }
    let url = "https://h.example/tenants/12345/v1/users/7"
    #expect(try Self.template(of: GetUser(id: 7), at: url) == "/tenants/{number}/v1/users/{id}")
    let own = GetUser(id: 7, baseURL: URL(string: "https://h.example/acme/v1"))
    #expect(try Self.template(of: own, at: "https://h.example/acme/v1/users/7") == "/{tenant}/v1/users/{id}")
  }

  @Test("A value equal to a fixed segment is ambiguous, so there is no template")
  func ambiguous() throws {
    for (name, template) in [
      ("ada", "/users/{name}/posts"), ("ADA l", "/users/{name}/posts"), ("12", "/users/{name}/posts"),
      ("users", nil), ("posts", nil), ("Posts", nil),
    ] {
      let request = GetPosts(name: name)
      #expect(try Self.template(of: request, at: "https://h.example/\(request.path)") == template)
    }
  }

  @Test("A value of two properties, or a part of a segment, is ambiguous")
  func shared() throws {
    struct Get: Request {
      typealias Response = Data
      let id: Int
      let page: Int
      let path: String
    }
    for (id, path, template) in [
      (7, "users/7", "/users/{id}"), (1, "users/1", nil), (7, "users/7.png", nil), (7, "v7/7", "/v7/{id}"),
      (7, "users/user-7", nil), (7, "users/77.png", "/users/77.png"),
    ] {
      let request = Get(id: id, page: 1, path: path)
      #expect(try Self.template(of: request, at: "https://h.example/\(path)") == template, "\(path)")
    }
  }

  @Test(
    "All kinds of path values are recognized, and so are numbers, dates and lists outside of properties"
  )
  func kinds() throws {
    struct Get: Request {
      typealias Response = Data
      var lat = 48.137
      var isOn = true
      var letter: Character = "q"
      var day = Date(timeIntervalSince1970: 0)
      var price = Decimal(string: "9.5") ?? 0
      var part = "xyz".dropFirst()
      var maybe: Float? = 0.5
      var owner: Owner? = Owner(name: "Ada@X.org")
      var path = ""
    }
    for (path, template) in [
      ("m/48.137/true/q", "/m/{lat}/{isOn}/{letter}"), ("1970-01-01T00:00:00Z/9.5", "/{day}/{price}"),
      ("yz/0.5/ada@x.org", "/{part}/{maybe}/{owner.name}"), ("a/-3/4.25", "/a/{number}/{number}"),
      ("a/2026-11-21/2026-11-21T10:00", "/a/{date}/{date}"), ("a/1,2,3/1,x", "/a/{numbers}/1,x"),
      ("1.2.3/2026-11-2x", "/1.2.3/2026-11-2x"),
    ] {
      let request = Get(path: path)
      #expect(try Self.template(of: request, at: "https://h.example/\(path)") == template)
    }
  }

  @Test("Lists are not searched, and at most 200 values are, so large requests cost little")
  func bound() throws {
    struct Counted: Sendable, CustomStringConvertible, LosslessStringConvertible {
      static let looks = Locked(0)
      init() {}
      init?(_ description: String) { nil }
      var description: String {
        Self.looks.withLock { $0 += 1 }
        return "-"
      }
    }
    struct Row: Sendable { var (a, b, c, d) = (Counted(), Counted(), Counted(), Counted()) }
    struct Rows: Sendable { var (a, b, c, d, e, f, g) = (Row(), Row(), Row(), Row(), Row(), Row(), Row()) }
    struct Big: Request {
      typealias Response = Data
      let items = [Counted](repeating: Counted(), count: 100_000)
      let byName = ["a": Counted()]
      let a = Rows()
      let b = Rows()
      let c = Rows()
      let d = Rows()
      let e = Rows()
      let f = Rows()
      let g = Rows()
      let h = Rows()
      let i = Rows()
      let j = Rows()
      let path = "big"
    }
    #expect(try Self.template(of: Big(), at: "https://h.example/big") == "/big")
    let looks = Counted.looks.withLock { $0 }
    #expect(looks > 100 && looks < 200)
  }
}

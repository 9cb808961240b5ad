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

  @Test("Segments that are values of properties are named after them, those of inner ones by both")
  func properties() throws {
    var request = GetIssue()
    request.path = "repos/ada%20l/issues/42/open/\(request.id.uuidString.lowercased())/s3cret?x=42"
    let url = "https://api.example.com/v3/\(request.path)"
    #expect(
      try Self.template(of: request, at: url) == "/v3/repos/{owner.name}/issues/{number}/{kind}/{id}/{key}")
  }

  @Test("Numbers and UUIDs that no property has are no endpoints of their own")
  func general() throws {
    var request = GetIssue()
    request.path = "/a/7/\(UUID().uuidString)/v2/"
    #expect(try Self.template(of: request, at: "https://b/x\(request.path)") == "/x/a/{number}/{uuid}/v2")
  }

  @Test("An absolute path keeps its path, and a URL that a hook has changed tells nothing of the base")
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

  @Test("What a request states is taken, also by an override")
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
    "Of paths that nobody declared nothing is said, nor of objects and of types with a mirror of their own")
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
}

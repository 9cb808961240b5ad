import Foundation
import Testing

@testable import Errand

@Suite("The rules of redirects")
struct RedirectRulesTests {
  static let redaction = Redaction.standard.hiding(headers: ["X-Internal"]).hiding(secrets: ["door-code-17"])
  let rules = RedirectRules(limit: 10, redaction: Self.redaction)

  /// The source, the target, and the reason of a refusal.
  static let schemes: [(String, String, String?)] = [
    ("http://a/", "http://b/", nil),
    ("http://a/", "https://a/", nil),
    ("https://a/", "https://b/", nil),
    (
      "https://a/", "http://a/x?k=1",
      #"the redirect from https to "http://a/x" is refused: the request would not be encrypted"#
    ),
    (
      "HTTPS://a/", "HTTP://a/",
      #"the redirect from https to "HTTP://a/" is refused: the request would not be encrypted"#
    ),
    ("http://a/", "ftp://a/x", #"the redirect to "ftp://a/x" is refused: only http and https are followed"#),
    ("https://a/", "data:,x", #"the redirect to "data:…" is refused: only http and https are followed"#),
  ]

  @Test("http may become https, never the reverse, and nothing else is followed", arguments: schemes)
  func scheme(_ row: (String, String, String?)) throws {
    let (from, to) = (try #require(URL(string: row.0)), try #require(URL(string: row.1)))
    var refusal: Refusal?
    do { try rules.checkScheme(of: to, from: from) } catch { refusal = error }
    #expect(refusal?.message == row.2)
    #expect(refusal.map(\.kind) == row.2.map { _ in .redirect })
  }

  static let origins: [(String, String, Bool)] = [
    ("http://a/x", "http://a:80/y?z", true), ("https://a", "https://A:443", true),
    ("http://a:/", "http://a/", true), ("HTTP://a/", "http://a/", true),
    ("http://[::1]:8/", "http://[::1]:8/x", true), ("http://a", "https://a", false),
    ("http://a:80", "https://a:80", false), ("http://a", "http://a:81", false),
    ("http://127.0.0.1", "http://localhost", false), ("http://a", "http://b.a", false),
    ("http://a", "http://a.", false), ("http://a", "data:,a", false), ("data:,a", "data:,a", false),
  ]

  @Test("An origin is scheme, host and port", arguments: origins)
  func origin(_ row: (String, String, Bool)) throws {
    #expect(Origin.same(try #require(URL(string: row.0)), try #require(URL(string: row.1))) == row.2)
  }

  @Test("Only harmless fields go to another origin, without redacted fields")
  func harmlessNames() {
    func mayCrossOrigins(_ name: String, _ value: String = "v", _ redaction: Redaction = Self.redaction)
      -> Bool
    {
      RedirectRules.mayCrossOrigins(.init(name: name, value: value), redaction: redaction)
    }
    let kept = [
      "authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Pin", "X-User-Sid", "Referer",
      "Origin",
      "From", "X-Request-ID", "Traceparent", "Content-Signature", "X-Plain", "", "x-internal",
    ]
    #expect(kept.filter { mayCrossOrigins($0) || mayCrossOrigins($0, "v", .none) } == [])
    let plain = ["Accept", "user-agent", "Range", "If-None-Match", "IF-MATCH", "Content-Type", "Prefer"]
    #expect(plain.filter { !mayCrossOrigins($0) } == [])
    #expect(!mayCrossOrigins("Prefer", "v", .standard.hiding(headers: ["prefer"])))
    #expect(!mayCrossOrigins("If-None-Match", "code=door-code-17;v=1"))
    #expect(!mayCrossOrigins("If-None-Match", "ZG9vci1jb2RlLTE3"))
    #expect(mayCrossOrigins("If-None-Match", "door-code-18"))
  }

  @Test("Only five statuses with a usable Location redirect")
  func targets() throws {
    let sent = try #require(URL(string: "http://a/b/c?d"))
    func target(_ status: HTTPResponse.Status, _ headers: HTTPHeaders, limit: Int = 1) -> String? {
      RedirectRules(limit: limit, redaction: .none)
        .target(of: HTTPResponse(status: status, headers: headers), to: sent)?.absoluteString
    }
    let followed = (200..<600).filter { target(HTTPResponse.Status($0), ["Location": "x"]) == "http://a/b/x" }
    #expect(followed == [301, 302, 303, 307, 308])
    #expect(target(302, [:]) == nil)
    #expect(target(302, ["Location": "http://"]) == nil)
    #expect(target(302, ["Location": "/x", "location": "/x"]) == "http://a/x")
    #expect(target(302, ["Location": "/x", "location": "/y"]) == nil)
    #expect(target(302, ["Location": "/x"], limit: 0) == nil)
  }

  @Test("A negative limit of redirects follows none, without a crash")
  func policies() {
    #expect(RedirectPolicy.follow(upTo: 0) == .none)
    #expect(RedirectPolicy.follow(upTo: .min) == .none)
    #expect(RedirectPolicy.follow() == .follow(upTo: 10))
    #expect(RedirectPolicy.inherited.limit == nil)
    #expect(AgentConfiguration().redirectPolicy == .follow())
  }
}

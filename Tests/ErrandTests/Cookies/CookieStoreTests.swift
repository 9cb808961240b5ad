import Foundation
import Testing

@testable import Errand

@Suite("The cookies of a store")
struct CookieStoreTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)
  private let store = CookieStore(clock: { Self.now })

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func set(_ field: String, at place: String, _ store: CookieStore? = nil) throws {
    (store ?? self.store).take(["Set-Cookie": field], from: try url(place), now: Self.now)
  }

  private func sent(to place: String, _ context: CookieContext = CookieContext()) throws -> String {
    store.cookies(for: try url(place), context, now: Self.now).map(\.pair).joined(separator: "; ")
  }

  @Test(
    "A cookie is set and sent by domain, path and scheme",
    arguments: [
      // The setting URL, `Set-Cookie`, the requested URL, and the sent `Cookie`.
      ("https://example.com/", "a=1", "https://example.com/", "a=1"),
      ("https://example.com/", "a=1", "https://www.example.com/", ""),
      ("https://example.com/", "a=1; Domain=example.com", "https://www.example.com/", "a=1"),
      ("https://www.example.com/", "a=1; Domain=.example.com", "https://example.com/", "a=1"),
      ("https://example.com/", "a=1; Domain=example.com", "https://myexample.com/", ""),
      ("https://example.com/", "a=1; Domain=other.com", "https://other.com/", ""),
      ("https://a.example.com/", "a=1; Domain=b.example.com", "https://b.example.com/", ""),
      ("https://example.com/", "a=1; Domain=www.example.com", "https://www.example.com/", ""),
      ("https://EXAMPLE.com/", "a=1", "https://example.COM/", "a=1"),
      ("https://example.com/", "a=1; Domain=com", "https://example.com/", ""),
      ("https://example.com./", "a=1; Domain=com.", "https://other.com./", ""),
      ("https://example.com./", "a=1", "https://example.com./", "a=1"),
      ("https://localhost/", "a=1; Domain=localhost", "https://localhost/", "a=1"),
      ("https://localhost/", "a=1; Domain=localhost", "https://a.localhost/", ""),
      ("http://127.0.0.1/", "a=1; Domain=0.0.1", "http://127.0.0.1/", ""),
      ("http://127.0.0.1/", "a=1; Domain=127.0.0.1", "http://127.0.0.1/", "a=1"),
      ("http://[::1]/", "a=1", "http://[::1]:81/", "a=1"),
      ("https://example.com:1/", "a=1", "https://example.com:2/", "a=1"),
      ("https://example.com/a/b", "a=1", "https://example.com/a/c", "a=1"),
      ("https://example.com/a/b", "a=1", "https://example.com/ab", ""),
      ("https://example.com/a/b", "a=1; Path=/", "https://example.com/", "a=1"),
      ("https://example.com/", "a=1; Path=/x", "https://example.com/x/y", "a=1"),
      ("https://example.com/", "a=1; Path=/x", "https://example.com/xy", ""),
      ("https://example.com/", "a=1; Secure", "http://example.com/", ""),
      ("http://example.com/", "a=1; Secure", "https://example.com/", ""),
      ("http://localhost/", "a=1; Secure", "http://localhost/", "a=1"),
      ("http://127.0.0.1:8080/", "a=1; Secure", "http://127.0.0.1:8080/", "a=1"),
      ("http://127.evil.example/", "a=1; Secure", "http://127.evil.example/", ""),
      ("https://example.com/", "__Secure-a=1", "https://example.com/", ""),
      ("https://example.com/", "__Secure-a=1; Secure", "https://example.com/", "__Secure-a=1"),
      ("https://example.com/x", "__Host-a=1; Secure", "https://example.com/", ""),
      ("https://example.com/x", "__Host-a=1; Secure; Path=/", "https://example.com/", "__Host-a=1"),
      ("https://example.com/", "__host-a=1; Secure; Path=/; Domain=example.com", "https://example.com/", ""),
      ("https://example.com/", "=__Host-a=1; Secure; Path=/", "https://example.com/", ""),
      ("https://example.com/", "a=1; SameSite=None", "https://example.com/", ""),
      ("https://example.com/", "a=1; SameSite=None; Secure", "https://example.com/", "a=1"),
      ("https://example.com/", "a=1; Max-Age=0", "https://example.com/", ""),
      ("https://example.com/", "a=1; Max-Age=-5", "https://example.com/", ""),
      ("https://example.com/", "a=1; Max-Age=99999999999999999999", "https://example.com/", "a=1"),
      ("https://example.com/", "a=1; Max-Age=0000000000000", "https://example.com/", ""),
      ("https://example.com/", "a=1; Max-Age=x", "https://example.com/", "a=1"),
      ("https://example.com/", "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://example.com/", ""),
      (
        "https://example.com/", "a=1; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "https://example.com/",
        "a=1"
      ),
      ("https://example.com/", "a\u{301};=1", "https://example.com/", "a\u{301}"),
      ("https://example.com/", "a=1\u{7F}", "https://example.com/", ""),
      ("https://example.com/", "a=1\t2", "https://example.com/", "a=1\t2"),
      ("https://example.com/", "\ta\tb\t=\t1\t \t2\t;\tSecure\t", "https://example.com/", "a\tb=1\t \t2"),
      ("ftp://example.com/", "a=1", "https://example.com/", ""),
    ])
  func table(_ place: String, _ field: String, _ target: String, _ result: String) throws {
    try set(field, at: place)
    #expect(try sent(to: target) == result)
  }

  @Test("A tab is the only control character in a name or a value", arguments: [0...0x1F, 0x7F...0x7F])
  func controlCharacters(_ codes: ClosedRange<UInt8>) throws {
    for code in codes {
      let character = Character(Unicode.Scalar(code))
      for field in ["a\(character)b=1", "a=1\(character)2"] {
        let store = CookieStore([], file: nil)
        let place = try #require(URL(string: "https://example.com/"))
        store.take(["Set-Cookie": field], from: place, now: Date())
        #expect(store.all.map(\.pair) == (code == 0x09 ? [field] : []), "\(code)")
      }
    }
    #expect(Cookie(name: "a\tb", value: "1\t2", domain: "a.example")?.pair == "a\tb=1\t2")
    #expect(Cookie(name: "a", value: "1\u{1F}", domain: "a.example") == nil)
  }

  #if os(Linux)
  @Test(
    "No cookie is set for a public suffix, if the system has the list",
    .enabled(if: PublicSuffixes.system.hasList))
  func suffixes() throws {
    try set("a=1; Domain=co.uk", at: "https://example.co.uk/")
    try set("b=1; Domain=example.co.uk", at: "https://www.example.co.uk/")
    try set("c=1; Domain=github.io", at: "https://github.io/")
    #expect(try sent(to: "https://example.co.uk/") == "b=1")
    #expect(try sent(to: "https://victim.github.io/") == "" && sent(to: "https://github.io/") == "c=1")
    #expect(PublicSuffixes.system.site(of: "a.b.example.co.uk") == "example.co.uk")
  }
  #endif

  @Test("Longer paths come first, then older cookies, and a replacement keeps its age")
  func order() throws {
    for field in ["a=1; Path=/", "b=1; Path=/x", "c=1; Path=/", "a=2; Path=/"] {
      try set(field, at: "https://example.com/x/y")
    }
    #expect(try sent(to: "https://example.com/x/") == "b=1; a=2; c=1")
    #expect(store.all.map(\.pair) == ["a=2", "b=1", "c=1"])
  }

  @Test("An insecure cookie does not shadow a Secure cookie")
  func shielded() throws {
    try set("sid=safe; Secure; Domain=example.com; Path=/app", at: "https://www.example.com/")
    for field in ["sid=evil; Domain=example.com; Path=/app", "sid=evil; Path=/app/x"] {
      try set(field, at: "http://www.example.com/")
    }
    try set("sid=other; Path=/", at: "http://www.example.com/")
    // A nameless cookie with such a value would be read as a cookie named `sid`.
    try set("=sid=evil; Path=/app/x", at: "http://www.example.com/")
    #expect(try sent(to: "https://www.example.com/app/x") == "sid=safe; sid=other")
  }

  @Test("An insecure cookie replaces no nameless Secure cookie, and shadows no name that is sent")
  func shieldedWithoutName() throws {
    try set("=a=safe; Secure; Path=/", at: "https://example.com/")
    for field in ["=evil; Path=/", "a=evil; Path=/x"] { try set(field, at: "http://example.com/x") }
    #expect(try sent(to: "https://example.com/x/y") == "a=safe")
  }

  @Test("A nameless cookie is not sent beside the caller's cookie of the name that a server reads")
  func callersCookie() throws {
    try set("=a=stored; Path=/", at: "https://example.com/")
    try set("b=stored; Path=/", at: "https://example.com/")
    var headers: HTTPHeaders = ["Cookie": "a=own"]
    store.add(to: &headers, for: try url("https://example.com/"), CookieContext(), now: Self.now)
    #expect(headers.fields.map(\.value) == ["a=own; b=stored"])
  }

  @Test(
    "After a redirect from another site, Strict cookies are not sent, and Lax cookies with safe methods only")
  func sites() throws {
    for field in ["s=1; SameSite=Strict", "l=1; SameSite=Lax", "d=1", "n=1; SameSite=None; Secure"] {
      try set(field, at: "https://bank.example/")
    }
    let (evil, own) = (try url("https://evil.example/"), try url("https://bank.example/start"))
    let place = "https://bank.example/"
    #expect(try sent(to: place) == "s=1; l=1; d=1; n=1")
    #expect(try sent(to: place, CookieContext(redirectedURLs: [own], isSafe: false)) == "s=1; l=1; d=1; n=1")
    #expect(try sent(to: place, CookieContext(redirectedURLs: [own, evil])) == "l=1; d=1; n=1")
    #expect(try sent(to: place, CookieContext(redirectedURLs: [evil], isSafe: false)) == "n=1")
    let open = try url("http://bank.example/")
    #expect(try sent(to: place, CookieContext(redirectedURLs: [open])) == "l=1; d=1; n=1")
  }

  @Test(
    "At most 50 cookies per domain and 3,000 in total are kept; insecure and least recently used go first"
  )
  func limits() throws {
    try set("safe=1; Secure", at: "https://example.com/")
    for index in 0..<60 {
      try set("c\(index)=1", at: "https://example.com/")
      _ = store.cookies(for: try url("https://example.com/none"), CookieContext(), now: Self.now)
    }
    let names = store.all.map(\.name)
    #expect(names.count == 50 && names.contains("safe") && names.last == "c59")
    for host in 0..<70 {
      for index in 0..<50 { try set("c\(index)=1", at: "https://h\(host).example/") }
    }
    #expect(store.all.count == 3000)
  }

  @Test("Cookies expire by the agent's clock, after 400 days at most")
  func ends() throws {
    try set("a=1; Max-Age=10", at: "https://example.com/")
    try set("b=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", at: "https://example.com/")
    let place = try url("https://example.com/")
    func names(after seconds: Double) -> [String] {
      store.cookies(for: place, CookieContext(), now: Self.now.addingTimeInterval(seconds)).map(\.name)
    }
    #expect(names(after: 9) == ["a", "b"])
    #expect(names(after: 10) == ["b"])
    #expect(names(after: 400 * 86_400) == [])
  }

  @Test("Code sets and removes cookies, and cannot create cookies that no server could set")
  func byHand() throws {
    let cookie = try #require(Cookie(name: "a", value: "1", domain: "Example.com"))
    store.set(cookie)
    #expect(try sent(to: "https://example.com/") == "a=1" && sent(to: "http://example.com/") == "")
    store.remove { $0.name == "b" }
    #expect(store.all == [cookie])
    store.set(try #require(Cookie(name: "a", value: "2", domain: "example.com", expires: .distantPast)))
    #expect(store.all == [])
    store.set(cookie)
    store.removeAll()
    #expect(store.all == [])
    #expect(Cookie(name: "a;b", value: "1", domain: "a.example") == nil)
    #expect(Cookie(name: "a=b", value: "1", domain: "a.example") == nil)
    #expect(Cookie(name: "a", value: "1\r\nX: y", domain: "a.example") == nil)
    #expect(Cookie(name: "a", value: "1", domain: ".a.example")?.domain == "a.example")
    #expect(Cookie(name: "a", value: "1", domain: "https://a.example") == nil)
    #expect(Cookie(name: "a", value: "1", domain: "10.0.0.0/9223372036854775807") == nil)
    #expect(
      Cookie(name: "a", value: "1", domain: "a.example", expires: Date(timeIntervalSince1970: .nan)) == nil)
    #expect(Cookie(name: "a", value: "1", domain: "a.example", path: "x") == nil)
    #expect(Cookie(name: "__Host-a", value: "1", domain: "a.example", isHostOnly: false) == nil)
    #expect(
      Cookie(name: "a", value: "1", domain: "a.example", isSecure: false, sameSite: Cookie.SameSite.none)
        == nil)
    #expect(Cookie(name: "", value: "", domain: "a.example") == nil)
  }

  @Test(
    "Leading zeros of Max-Age do not count",
    arguments: [("0000000000001", 1), ("00060", 60), ("99999999999999", 34_560_000)] as [(String, Double)])
  func leadingZeros(age: String, seconds: Double) throws {
    try set("a=1; Max-Age=\(age)", at: "https://example.com/")
    #expect(store.all.map(\.expires) == [Self.now.addingTimeInterval(seconds)])
  }

  @Test("Printed cookies show no value")
  func printed() throws {
    try set("sid=s3cret; Secure; HttpOnly; SameSite=Lax; Max-Age=60; Path=/", at: "https://example.com/")
    let cookie = try #require(store.all.first)
    let text =
      "sid=<redacted>; host-only example.com; Path=/; Expires=Tue, 14 Nov 2023 22:14:20 GMT; Secure; HttpOnly; SameSite=Lax"
    #expect("\(cookie)" == text && "\(store)" == text)
    var dumped = ""
    dump(store, to: &dumped)
    dump([cookie], to: &dumped)
    for printed in [
      dumped, String(reflecting: cookie), String(reflecting: store), "\(CookiePolicy.store(store))",
    ] {
      #expect(!printed.contains("s3cret"))
    }
    #expect("\(CookieStore())" == "no cookies")
  }

  @Test("Eight threads that set, read and remove lose no remaining cookie")
  func threads() async throws {
    let store = store
    let place = try url("https://example.com/")
    await withTaskGroup { group in
      for thread in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            store.take(["Set-Cookie": "c\(thread)=\(round)"], from: place, now: Self.now)
            _ = store.cookies(for: place, CookieContext(), now: Self.now)
            store.remove { $0.name == "nobody" }
          }
        }
      }
    }
    #expect(Set(store.all.map(\.pair)) == Set((0..<8).map { "c\($0)=199" }))
  }

  @Test("A printed cookie for one host has no Domain attribute")
  func printedHost() throws {
    let own = try #require(Cookie(name: "sid", value: "s3cret", domain: "example.com", path: "/app"))
    #expect("\(own)" == "sid=<redacted>; host-only example.com; Path=/app; Secure")
    let shared = try #require(
      Cookie(name: "sid", value: "s3cret", domain: ".example.com", isHostOnly: false, isHTTPOnly: true))
    #expect("\(shared)" == "sid=<redacted>; Domain=example.com; Path=/; Secure; HttpOnly")
  }
}

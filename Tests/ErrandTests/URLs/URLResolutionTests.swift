import Foundation
import Testing

@testable import Errand

@Suite("Resolution of a reference at a URL")
struct URLResolutionTests {
  private func resolve(_ reference: String, at base: String = "http://a/b/c/d;p?q") -> String? {
    try? URLParts(absolute: base)?.resolve(reference).absoluteString
  }

  /// RFC 3986 section 5.4.1, without fragments.
  static let normal: [(String, String?)] = [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"),
  ]

  /// RFC 3986 section 5.4.2.
  ///
  /// `http:g` has the backward-compatible result of browsers.
  static let abnormal: [(String, String?)] = [
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"), ("http:g", "http://a/b/c/g"),
  ]

  /// Further references that real servers send.
  static let found: [(String, String?)] = [
    ("  /g\t", "http://a/g"), ("/a b", "http://a/a%20b"), ("/é?ü=ß", "http://a/%C3%A9?%C3%BC=%C3%9F"),
    ("/100%", "http://a/100%25"), ("/%7e", "http://a/%7e"), ("/g?a=b&", "http://a/g?a=b&"),
    ("?", "http://a/b/c/d;p?"), ("/g?", "http://a/g?"), ("/x//../y", "http://a/x/y"),
    ("HTTPS://Example.com:443/x/../y", "https://Example.com:443/y"), ("http://h:/x", "http://h/x"),
    ("//u:p@h/x", "http://h/x"), ("http://u:p@h", "http://h"), ("//good\\@evil/x", nil),
    ("//[::1]:8080/x", "http://[::1]:8080/x"), ("//h:0/x", nil), ("//h:99999/x", nil), ("//h h/x", nil),
    ("http://", nil), ("//", nil), ("http:///x", nil), ("https:/x", nil), ("http:/x", "http://a/x"),
    ("HTTP:?y", "http://a/b/c/d;p?y"),
    ("//[:]/x", nil), ("//[1::2::3]/x", nil), ("//[::1.]/x", nil), ("//[::1%25lo]/x", "http://[::1%25lo]/x"),
    ("//％65vil.example/", nil), ("//%65vil.example/", "http://evil.example/"),
    ("//bücher.example/", "http://xn--bcher-kva.example/"), ("a:b/c", "a:b/c"),
    ("./a:b", "http://a/b/c/a:b"), ("ftp://h/x", "ftp://h/x"), ("/\u{1}\r\nX: y", "http://a/%01%0D%0AX:%20y"),
  ]

  @Test("Resolution follows RFC 3986", arguments: normal + abnormal + found)
  func table(_ row: (String, String?)) { #expect(resolve(row.0) == row.1) }

  @Test("A base without a path counts as the path /, and its user info is not inherited")
  func bare() {
    #expect(resolve("g", at: "http://u:p@h:81") == "http://h:81/g")
    #expect(resolve("?y", at: "http://h") == "http://h?y")
    #expect(resolve("", at: "http://h?q") == "http://h?q")
    #expect(resolve("g", at: "https://h/a/../b/c") == "https://h/b/g")
  }

  @Test("No text causes a crash, and a result is a URL of ASCII that resolves to itself")
  func totality() throws {
    var generator = SeededGenerator(seed: 5)
    let starts = [
      "", "", "/", "//", "//h", "?", "../", "http://", "https://h/", "x:", "//h:", "//[", "//u@h/",
    ]
    let bases = ["http://h", "http://h/a/b?c", "https://[::1]:1/a/../b", "http://u:p@h/?"]
    var resolved = 0
    for _ in 0..<20_000 {
      let reference = generator.pick(starts) + generator.text(upTo: 16)
      let base = try #require(URLParts(absolute: generator.pick(bases)))
      guard let url = try? base.resolve(reference) else { continue }
      guard let scheme = url.scheme, ["http", "https"].contains(scheme) else { continue }
      resolved += 1
      let text = url.absoluteString
      let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }
      let isClean = url.user == nil && url.host?.isEmpty == false && URLParts(absolute: text)?.userInfo == nil
      if !isPlain || !isClean { Issue.record("\(text) of \(reference.debugDescription)") }
      if try base.resolve(text) != url { Issue.record("\(text) is not stable") }
      if try URLJoining.check(url).host != url.host { Issue.record("\(text) is judged differently") }
    }
    #expect(resolved > 10_000)
  }
}

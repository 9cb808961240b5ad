import Testing

@testable import Errand

@Suite("Default headers")
struct DefaultHeadersTests {
  static let languages: [([String], String?)] = [
    ([], nil),
    (["de-DE"], "de-DE"),
    (["de-DE", "en"], "de-DE, en;q=0.9"),
    (["a", "b", "c", "d", "e", "f", "g"], "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
    (["", "de_DE", "en\r\nX: 1", "fr"], "fr"),
  ]

  @Test("Languages have descending weights, and invalid language tags are left out", arguments: languages)
  func weights(_ row: ([String], String?)) { #expect(DefaultHeaders.languages(row.0) == row.1) }

  #if os(Linux)
  @Test(
    "Without a language in the environment there is no Accept-Language",
    arguments: [
      ([:], false), (["LANG": "C"], false), (["LANG": "C.UTF-8"], false), (["LANG": ""], false),
      (["LANG": "de_DE.UTF-8"], true), (["LC_ALL": "POSIX", "LANG": "de_DE"], false),
      (["LC_ALL": "", "LC_MESSAGES": "fr_FR", "LANG": "C"], true),
    ])
  func noLanguage(_ environment: [String: String], _ expected: Bool) {
    #expect(Platform.hasLanguage(environment) == expected)
  }
  #endif

  @Test("Characters that are invalid in a product token become hyphens")
  func token() {
    #expect(DefaultHeaders.token("My App/2 (é)") == "My-App-2-----")
    #expect(DefaultHeaders.token("xctest") == "xctest")
  }

  @Test("The User-Agent names the program, Errand and the system, and is a valid field value")
  func userAgent() throws {
    let parts = DefaultHeaders.userAgent.split(separator: " ", maxSplits: 2)
    #expect(parts.count == 3)
    #expect(parts[1] == "Errand/\(Platform.errandVersion)")
    #expect(parts[2].hasPrefix("(\(Platform.name) ") && parts[2].hasSuffix(")"))
    #expect((["User-Agent": DefaultHeaders.userAgent] as HTTPHeaders).problem == nil)
  }
}

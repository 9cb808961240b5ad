import Testing

@testable import Errand

@Suite("Headers of the platform")
struct PlatformHeadersTests {
  static let languages: [([String], String?)] = [
    ([], nil),
    (["de-DE"], "de-DE"),
    (["de-DE", "en"], "de-DE, en;q=0.9"),
    (["a", "b", "c", "d", "e", "f", "g"], "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
    (["", "de_DE", "en\r\nX: 1", "fr"], "fr"),
  ]

  @Test("Languages have descending weights, and invalid language tags are left out", arguments: languages)
  func weights(_ row: ([String], String?)) { #expect(PlatformHeaders.languages(row.0) == row.1) }

  #if os(Linux)
  @Test(
    "The environment names the languages, and a C locale names no language",
    arguments: [
      ([:], []), (["LANG": "C"], []), (["LANG": "C.UTF-8"], []), (["LANG": ""], []),
      (["LANG": "de_DE.UTF-8"], ["de-DE"]), (["LANG": "sr_RS@latin"], ["sr-RS"]), (["LANG": "fr"], ["fr"]),
      (["LC_ALL": "POSIX", "LANG": "de_DE"], []),
      (["LC_ALL": "", "LC_MESSAGES": "fr_FR", "LANG": "C"], ["fr-FR"]),
      (["LANG": "de_DE", "LANGUAGE": "de_AT:de::en_GB.UTF-8:C"], ["de-AT", "de", "en-GB"]),
      (["LANG": "de_DE", "LANGUAGE": ""], ["de-DE"]), (["LANG": "C", "LANGUAGE": "de"], []),
    ] as [([String: String], [String])])
  func environment(_ environment: [String: String], _ expected: [String]) {
    #expect(Platform.languages(environment) == expected)
  }
  #endif

  @Test("Characters that are invalid in a product token become hyphens")
  func token() {
    #expect(PlatformHeaders.token("My App/2 (é)") == "My-App-2-----")
    #expect(PlatformHeaders.token("xctest") == "xctest")
  }

  @Test("The User-Agent names the program, Errand and the system, and is a valid field value")
  func userAgent() throws {
    let parts = PlatformHeaders.userAgent.split(separator: " ", maxSplits: 2)
    #expect(parts.count == 3)
    #expect(parts[1] == "Errand/\(Platform.errandVersion)")
    #expect(parts[2].hasPrefix("(\(Platform.name) ") && parts[2].hasSuffix(")"))
    #expect((["User-Agent": PlatformHeaders.userAgent] as HTTPHeaders).problem == nil)
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("URL joining with random text")
struct URLJoiningPropertyTests {
  private func base(_ generator: inout SeededGenerator) -> String? {
    switch generator.below(8) {
    case 0: nil
    case 1: generator.text(upTo: 12)
    case 2: "http://" + generator.text(upTo: 12)
    case 3: "https://h" + generator.text(upTo: 12)
    case 4: "http://h/" + generator.text(upTo: 12)
    case 5: "http://[" + generator.text(upTo: 6) + "]"
    case 6: "http://h:" + generator.text(upTo: 3)
    default: "http://u:p@h/api"
    }
  }

  private func path(_ generator: inout SeededGenerator) -> String {
    switch generator.below(4) {
    case 0: "http://" + generator.text(upTo: 10)
    case 1: "data:" + generator.text(upTo: 10)
    default: generator.text(upTo: 20)
    }
  }

  @Test("Every result is a served URL of ASCII, and everything else is refused as invalidURL")
  func totality() throws {
    var generator = SeededGenerator(seed: 1)
    var (served, refused) = (0, 0)
    for _ in 0..<20_000 {
      let (base, path) = (base(&generator), path(&generator))
      let query = generator.below(2) == 0 ? [] : [PercentEncoding.encode(generator.text(upTo: 5))]
      do throws(Refusal) {
        try check(try URLJoining.url(base: base, path: path, query: query), "\(base ?? "nil") + \(path)")
        served += 1
      } catch {
        if error.kind != .invalidURL { Issue.record("\(error.kind) of \(path)") }
        refused += 1
      }
    }
    #expect(served > 5_000 && refused > 3_000)
  }

  @Test("Appending to a checked base gives the same result as joining")
  func stem() {
    var generator = SeededGenerator(seed: 3)
    var appended = 0
    for _ in 0..<20_000 {
      let (base, path) = (base(&generator) ?? "", path(&generator))
      let query = generator.below(2) == 0 ? [] : [PercentEncoding.encode(generator.text(upTo: 5))]
      for path in [path, generator.text(6, of: "abc/.;@&$-_~!")] {
        guard let written = URLStem(base: base)?.url(path: path, query: query) else { continue }
        let url = written.url
        if written.text != url.absoluteString { Issue.record("\(url) of \(written.text.debugDescription)") }
        let joined = try? URLJoining.url(base: base, path: path, query: query)
        if url != joined { Issue.record("\(url) of \(base.debugDescription) + \(path.debugDescription)") }
        appended += 1
      }
    }
    #expect(appended > 3_000)
  }

  @Test("Parsed and unparsed URLs are equal and have equal hashes, if their texts are equal")
  func writtenURLs() throws {
    let url = try #require(URL(string: "http://h/a"))
    let urls: [WrittenURL] = [.parsed(url), .text("http://h/a")]
    for (a, b) in urls.flatMap({ a in urls.map { (a, $0) } }) {
      #expect(a == b && a.hashValue == b.hashValue && a.url == url && a.text == "http://h/a")
    }
    for other in [WrittenURL.text("http://h/b"), .parsed(try #require(URL(string: "http://h/b")))] {
      for url in urls { #expect(url != other) }
    }
  }

  @Test(
    "A base with more than a location has no stem",
    arguments: ["", "h", "data:,x", "http://u@h", "http://h?a"])
  func noStem(_ base: String) { #expect(URLStem(base: base)?.url(path: "x", query: []) == nil) }

  @Test("With more bases than are kept, each has its own stem")
  func stems() throws {
    let stems = URLStems()
    for number in (0..<50).map({ $0 % 12 }) + (0..<50).map({ $0 % 3 }) {
      let base = try #require(URL(string: "http://h\(number)/api"))
      #expect(stems.stem(of: base)?.url(path: "x", query: [])?.text == "http://h\(number)/api/x")
    }
    let other = try #require(URL(string: "http://h?a=1"))
    #expect(stems.stem(of: other)?.url(path: "x", query: []) == nil)
  }

  /// Plain comparisons, because tens of thousands of expectations are slow.
  private func check(_ url: URL, _ source: String) throws(Refusal) {
    let text = url.absoluteString
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }
    if !isPlain || URL(string: text) != url { Issue.record("\(text) of \(source.debugDescription)") }
    if url.scheme == "data" {
      _ = try? DataURL.response(for: url)
      return
    }
    let isServed = (url.scheme == "http" || url.scheme == "https") && url.host?.isEmpty == false
    if !isServed { Issue.record("\(text) of \(source.debugDescription)") }
    let again = try URLJoining.url(base: nil, path: text, query: [])
    if again != url { Issue.record("\(text) became \(again.absoluteString)") }
    guard let result = try? URLJoining.userInfo(of: url) else { return }
    let isStripped = result.stripped.user == nil && result.stripped.host == url.host
    if !isStripped { Issue.record("\(result.stripped) of \(text)") }
  }

  @Test("A text joined under a base is recovered from the URL's path and query")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<5_000 {
      let (segment, value) = (generator.text(upTo: 12), generator.text(upTo: 12))
      let path = "s" + PercentEncoding.encode(segment).replacing("?", with: "%3F")
      let query = "v=" + PercentEncoding.encode(value)
      let url = try URLJoining.url(base: "http://h/api", path: path, query: [query])
      let parts = url.absoluteString.dropFirst("http://h/api/s".count).split(
        separator: "?v=", maxSplits: 1, omittingEmptySubsequences: false)
      let isSame =
        PercentEncoding.decode(parts[0]).elementsEqual(segment.utf8)
        && PercentEncoding.decode(parts[1]).elementsEqual(value.utf8)
      if !isSame { Issue.record("\(url) of \(segment.debugDescription), \(value.debugDescription)") }
    }
  }
}

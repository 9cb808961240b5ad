import Foundation
import Testing

@testable import Errand

/// A reference, its base, and the URL by the WHATWG's URL standard, without fragments.
struct BrowserURLRow: Sendable {
  let reference: String
  let base: String?
  /// `nil` if browsers refuse the reference.
  let browsers: String?
  /// If different; `nil` if both results agree, or if Errand refuses the reference.
  let errand: String?

  init(_ reference: String, _ base: String?, _ browsers: String?, errand: String? = nil) {
    (self.reference, self.base, self.browsers, self.errand) = (reference, base, browsers, errand)
  }

  /// A `Location` if there is a base, otherwise a URL in code.
  var made: String? {
    guard let base else { return try? URLJoining.url(base: nil, path: reference, query: []).absoluteString }
    return try? URLParts(absolute: base)?.resolve(reference).absoluteString
  }

  /// Compares scheme, host, port, path and query; spellings of a host count as equal.
  var agrees: Bool {
    guard let made, let browsers else { return made == browsers }
    guard let a = URL(string: made), let b = URL(string: browsers), Origin.same(a, b) else { return false }
    guard let a = URLParts(absolute: made), let b = URLParts(absolute: browsers) else { return false }
    return (a.path.isEmpty ? "/" : a.path) == (b.path.isEmpty ? "/" : b.path) && a.query == b.query
  }
}

@Suite("URLs compared with browsers")
struct BrowserURLTests {
  @Test("Most references have the browsers' result, or are refused as in browsers")
  func agreeing() {
    for row in BrowserURLRow.agreeing where !row.agrees {
      Issue.record(
        "\(row.reference.debugDescription) is \(row.made ?? "refused"), and not \(row.browsers ?? "refused")")
    }
    #expect(BrowserURLRow.agreeing.count == 369)
  }

  @Test("Other references differ, each with a reason", arguments: BrowserURLRow.differing.indices)
  func differing(_ index: Int) {
    let (reason, rows) = BrowserURLRow.differing[index]
    for row in rows {
      #expect(row.made == row.errand, "\(reason) \(row.reference.debugDescription)")
      #expect(!row.agrees, "\(row.reference.debugDescription) does not differ any more")
    }
    #expect(BrowserURLRow.differing.map(\.rows.count).reduce(0, +) == 75)
  }
}

import ErrandJSON
import Foundation
import JSONCases
import Testing

@Suite("Decoding compared with Foundation") struct ComparisonTests {
  /// The number of cases; 20,000 unless `ERRAND_JSON_CASES` is set.
  ///
  /// The command `json-comparison` compares 100,000 cases by default.
  private static let count =
    ProcessInfo.processInfo.environment["ERRAND_JSON_CASES"].flatMap { Int($0) } ?? 20_000

  @Test("Seeded documents, types and settings give equal values and errors")
  func seeded() async {
    let tallies = await Workers.run(2) { worker in
      var tally = Tally(shown: 3)
      for index in stride(from: worker, to: Self.count, by: 2) {
        let tested = Case(seed: 20_261_121, index: index)
        // Types with several attempts on each level take seconds for hundreds of levels. The next test
        // decodes deep documents.
        guard Depth.deepest(tested.document) < 100 else {
          continue
        }
        let (verdict, difference) = Comparison.run(tested)
        tally.add(verdict, difference)
      }
      return tally
    }
    var all = Tally(shown: 6)
    for tally in tallies { all.add(tally) }
    #expect(all.faults == 0, "\(all)")
    #expect(all.counts[.sameValue, default: 0] > Self.count / 3)
    #expect(all.counts[.sameError, default: 0] > Self.count / 4)
  }

  @Test(
    "Depths near the limit give equal results or a refusal, in every layout")
  func depths() async {
    let tally = await Workers.run(1) { _ in
      var tally = Tally(shown: 6)
      for depth in [1, 2, 10, 510, 511, 512, 513, 514, 2000] {
        for document in DepthDocument.all(depth: depth) {
          for type in [CaseType.levels(of: document.kind), .person] {
            let (verdict, difference) = document.compare(type)
            tally.add(verdict, difference)
          }
        }
      }
      return tally
    }[0]
    #expect(tally.faults == 0, "\(tally)")
    #expect(tally.counts[.sameValue, default: 0] > 80)
    #expect(tally.counts[.refusedAsTooDeep, default: 0] > 250)
  }

  @Test("Documents with a high decoding cost give equal results")
  func hostile() async throws {
    let types = try [
      "JSONCases.Anything", "JSONCases.Names", "Swift.Dictionary<Swift.String, Swift.Int>",
    ]
    .map { try #require(CaseType.named($0)) }
    let tally = await Workers.run(1) { _ in
      var tally = Tally(shown: 6)
      for (_, document) in HostileDocument.all(size: 4000) {
        for type in types + [.person] {
          let (verdict, difference) = Comparison.run(Case(type: type, document: document))
          tally.add(verdict, difference)
        }
      }
      return tally
    }[0]
    #expect(tally.faults == 0, "\(tally)")
    #expect(tally.counts[.sameValue, default: 0] > 10)
  }

  @Test("The comparison finds differences")
  func findsDifferences() throws {
    // The settings of the coding differ from the settings of Foundation's decoder.
    let dates = try #require(CaseType.named("JSONCases.Dates"))
    let document = Data(#"{"at":1,"list":[1.5]}"#.utf8)
    let foundation = dates.decodeByFoundation(JSONDecoder(), document)
    #expect(foundation.isValue)
    #expect(foundation != dates.decode(.secondsSince1970, document))
    #expect(foundation == dates.decode(JSONCoding(), document))
    let strings = try #require(CaseType.named("Swift.Array<Swift.String>"))
    // Equal strings for Swift, but different bytes.
    let composed = strings.decode(JSONCoding(), Data("[\"é\"]".utf8))
    #expect(composed != strings.decode(JSONCoding(), Data("[\"e\u{301}\"]".utf8)))
    let doubles = try #require(CaseType.named("Swift.Array<Swift.Double>"))
    #expect(
      doubles.decode(JSONCoding(), Data("[0]".utf8))
        != doubles.decode(JSONCoding(), Data("[-0]".utf8)))
    // Errors at different locations.
    #expect(
      doubles.decode(JSONCoding(), Data("[\"\"]".utf8))
        != doubles.decode(JSONCoding(), Data("[1,\"\"]".utf8))
    )
    #expect(
      doubles.decode(JSONCoding(), Data("[null]".utf8))
        != doubles.decode(JSONCoding(), Data("[true]".utf8)))
  }
}

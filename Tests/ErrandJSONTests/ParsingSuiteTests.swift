import Foundation
import JSONCases
import Testing

@Suite("The documents of nst/JSONTestSuite") struct ParsingSuiteTests {
  @Test("The suite has 318 documents, and every deviation from the suite or from Foundation has a reason")
  func reasons() {
    #expect(ParsingCase.all.count == 318)
    let againstTheSuite = ParsingCase.all.filter { $0.suite != .either && $0.suite != $0.ours }
    #expect(againstTheSuite.map(\.name) == ParsingCase.reasonsAgainstTheSuite.keys.sorted())
    let againstFoundation = ParsingCase.all.filter {
      $0.foundation != .notAsked && $0.foundation != $0.ours
    }
    #expect(againstFoundation.map(\.name) == ParsingCase.reasonsAgainstFoundation.keys.sorted())
  }

  @Test("Foundation accepts and rejects documents as in the table", arguments: ParsingCase.all)
  func foundation(tested: ParsingCase) async {
    guard tested.foundation != .notAsked else { return }
    #expect(await answer(.foundation, tested.document) == tested.foundation)
  }

  @Test("ErrandJSON accepts and rejects documents as in the table", arguments: ParsingCase.all)
  func ours(tested: ParsingCase) async {
    #expect(await answer(.ours, tested.document) == tested.ours)
  }

  private func answer(_ side: Side, _ document: Data) async -> ParsingCase.Answer {
    await Workers.run(1) { _ in (try? side.decode(Anything.self, document)) == nil ? .rejects : .accepts
    }[0]
  }
}

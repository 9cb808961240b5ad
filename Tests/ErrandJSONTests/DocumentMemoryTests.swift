import Foundation
import Testing

@testable import ErrandJSON

@Suite("Memory of a document")
struct DocumentMemoryTests {
  /// Elements that may use much memory in relation to their length.
  static let elements = [
    "[]", "{}", "\"\"", "1", "[[]]", "{\"\":\"\"}", "{\"\":{}}", "null", "\"\\n\"", "1e5",
    "[1,[2,[\"\",\"\"]]]",
  ]

  @Test("The memory is at most four times the size of the text, including the text", arguments: elements)
  func many(_ element: String) throws {
    let text = Data("[\(Array(repeating: element, count: 50_000).joined(separator: ","))]".utf8)
    let document = try JSONDocument(text, settings: DecodingSettings())
    #expect(document.count + 4 * (document.nullIndex + 1) <= 4 * text.count)
  }

  @Test("The bound also holds for wide objects with equal or different names", arguments: [1, 2, 4, 1 << 16])
  func members(_ repetitions: Int) throws {
    let names = (0..<(1 << 16)).map { String($0 / repetitions, radix: 36) }
    let text = Data("{\(names.map { "\"\($0)\":\"\"" }.joined(separator: ","))}".utf8)
    let document = try JSONDocument(text, settings: DecodingSettings())
    let table = try #require(NameTable(0, in: document, at: []))
    guard case .places(let places) = table else { throw CancellationError() }
    #expect(document.count + 4 * (document.nullIndex + 1 + places.count) <= 4 * text.count)
    #expect(table.find("0", in: document) == 3)
    #expect(table.find("none there", in: document) == nil)
    #expect(table.find(names[names.count - 1], in: document) != nil)
  }
}

import Foundation
import JSONCases
import Testing

@testable import ErrandJSON

/// A stack overflow would end the process of all tests.
@Suite("JSON on a small stack")
struct SmallStackTests {
  struct Comment: Codable, Sendable {
    var text = "x"
    var replies: [Comment] = []

    /// Creates a comment with `depth` nested replies.
    init(_ depth: Int) { if depth > 0 { replies = [Comment(depth - 1)] } }

    var depth: Int {
      var (count, next) = (0, replies.first)
      while let comment = next { (count, next) = (count + 1, comment.replies.first) }
      return count
    }

    static func json(_ depth: Int) -> Data {
      let open = String(repeating: #"{"text":"x","replies":["#, count: depth)
      return Data((open + #"{"text":"x","replies":[]}"# + String(repeating: "]}", count: depth)).utf8)
    }
  }

  /// Requests nested containers and super decoders directly.
  struct Chain: Decodable {
    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    private(set) var count = 1

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      guard container.contains(Key(stringValue: "replies")) else { return }
      var list = try container.nestedUnkeyedContainer(forKey: Key(stringValue: "replies"))
      if !list.isAtEnd { count += try Chain(from: list.superDecoder()).count }
    }
  }

  /// Encodes nested containers without values in between.
  struct Nested: Encodable {
    var depth: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 1..<depth { container = container.nestedUnkeyedContainer() }
    }
  }

  /// The stack size of secondary threads on Apple platforms.
  static let sizes = [512 << 10]
  static let depths = [3, 10, 30, 60, 120, 180, 250]
  static let refusal = "the JSON is nested too deeply for the stack of this thread"
  static let encodingRefusal =
    "Unable to encode the given top-level value to JSON: the value is nested too deeply for the stack of this thread."

  /// The result for each depth on a thread with the stack size: `right`, `wrong` or the error.
  private func results(
    _ size: Int, _ body: @escaping @Sendable (_ depth: Int) throws -> Bool
  ) async -> [String] {
    await Workers.run(1, stackSize: size) { _ in
      Self.depths.map { depth in
        do {
          return try body(depth) ? "right" : "wrong"
        } catch DecodingError.dataCorrupted(let context) {
          return context.debugDescription
        } catch EncodingError.invalidValue(_, let context) {
          return context.debugDescription
        } catch {
          return "\(error)"
        }
      }
    }[0]
  }

  /// Checks that shallow documents are right, and that all results after the first refusal are refusals.
  private func expect(_ results: [String], _ refusal: String) {
    let refused = results.drop { $0 == "right" }
    #expect(refused.allSatisfy { $0 == refusal || $0 == Self.encodingRefusal }, "\(results)")
    #expect(results[0] == "right", "\(results)")
  }

  @Test("Typed values are decoded or refused", arguments: sizes)
  func decoding(_ size: Int) async {
    for coding in [JSONCoding(), .snakeCase, .droppingNulls] {
      let results = await results(size) { depth in
        try coding.decode(Comment.self, from: Comment.json(depth)).depth == depth
      }
      expect(results, Self.refusal)
    }
    expect(
      await results(size) { try JSONCoding().decode(Chain.self, from: Comment.json($0)).count == $0 + 1 },
      Self.refusal)
  }

  @Test("Foundation only gets documents that fit the stack", arguments: sizes)
  func foundation(_ size: Int) async {
    var five = JSONCoding()
    five.allowsJSON5 = true
    for coding in [five, five.droppingNulls] {
      expect(
        await results(size) { depth in
          try coding.decode(Comment.self, from: Comment.json(depth)).depth == depth
        }, Self.refusal)
    }
    class Own: JSONDecoder, @unchecked Sendable {}
    let own = JSONCoding(decoder: Own())
    for coding in [own, own.droppingNulls] {
      expect(
        await results(size) { depth in
          try coding.decode(Comment.self, from: Comment.json(depth)).depth == depth
        }, Self.refusal)
    }
  }

  @Test("Typed values are encoded or refused", arguments: sizes)
  func encoding(_ size: Int) async {
    var pretty = JSONCoding()
    pretty.outputFormatting = [.prettyPrinted, .sortedKeys]
    for coding in [JSONCoding(), .snakeCase, pretty] {
      let results = await results(size) { depth in
        let text = try coding.encode([Comment(depth)])
        return text.filter { $0 == UInt8(ascii: "{") }.count == depth + 1
      }
      expect(results, Self.encodingRefusal)
    }
  }

  @Test("Containers without values in between are encoded or refused", arguments: sizes)
  func containers(_ size: Int) async {
    let results = await results(size) { depth in
      try JSONCoding().encode(Nested(depth: 2 * depth)).count == 4 * depth
    }
    #expect(results.drop { $0 == "right" }.allSatisfy { $0 == Self.encodingRefusal }, "\(results)")
    #expect(results[0] == "right")
  }

  @Test("A main thread has room for all levels, and a refusal has no position")
  func others() async throws {
    #expect(try JSONCoding().decode(Comment.self, from: Comment.json(3)).depth == 3)
    let depths = await Workers.run(1) { _ in
      (try? JSONCoding().decode(Comment.self, from: Comment.json(255)))?.depth
    }
    #expect(depths == [255])
    let error = await Workers.run(1, stackSize: 128 << 10) { _ in
      #expect(throws: DecodingError.self) {
        try JSONCoding().decode(Comment.self, from: Comment.json(255))
      }?.jsonSyntaxError
    }
    #expect(error == [JSONSyntaxError(.stack, at: nil)])
    #expect(
      "\(JSONSyntaxError(.stack, at: nil))" == "the JSON is nested too deeply for the stack of this thread")
  }

  /// A value with a given depth that encodes nothing.
  private indirect enum Mute: Encodable, Sendable {
    case end, more(Mute)
    func encode(to encoder: any Encoder) throws {}
  }

  @Test(
    "The error for a too deep value can be printed, because the error does not contain the value",
    arguments: sizes)
  func printedErrors(_ size: Int) async {
    let texts = await Workers.run(1, stackSize: size) { _ in
      let mute = (0..<3000).reduce(Mute.end) { inner, _ in .more(inner) }
      let values: [any Encodable] = [Comment(200), Comment(600), [Comment(600)], Nested(depth: 2000), mute]
      return values.map { value in
        do {
          return "\(try JSONCoding().encode(value).count) bytes"
        } catch {
          var dumped = ""
          dump(error, to: &dumped)
          let texts = ["\(error)", String(reflecting: error), dumped]
          return texts.allSatisfy { $0.utf8.count < 2000 } ? "short" : "long: \(texts.map(\.count))"
        }
      }
    }[0]
    #expect(texts == Array(repeating: "short", count: 5))
  }
}

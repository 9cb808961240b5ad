import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Documents nested too deep crashed `JSONDecoder` on Linux.
@Suite("The depth of JSON")
struct JSONDepthTests {
  static let reason = "the JSON is nested deeper than 512 levels"

  /// Complete and incomplete.
  static func texts(_ depth: Int) -> [String] {
    func closed(_ open: String, _ inside: String, _ close: String) -> String {
      String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
    }
    let half = depth / 2
    let pairs = String(repeating: #"[{"a":"#, count: half) + (depth % 2 == 1 ? "[" : "")
    return [
      String(repeating: "[", count: depth), closed("[", "", "]"), String(repeating: #"{"a":"#, count: depth),
      closed(#"{"a":"#, "1", "}"), closed(#" [ "]\\\"" , "#, "0", "]"), pairs,
      String(repeating: #"{"a":"#, count: depth - 1) + "[",
    ]
  }

  static let encodings: [String.Encoding] = [
    .utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
  ]

  struct Anything: Decodable, Sendable { init(from decoder: any Decoder) {} }

  @Test("More than 512 levels are a decoding error that says so", arguments: [513, 514, 2_000, 100_000])
  func tooDeep(_ depth: Int) async throws {
    let agent = RequestAgent.mocked(by: MockTransport { .data($0.body) })
    for text in Self.texts(depth) {
      for encoding in depth > 2_000 ? [.utf8] : Self.encodings {
        let body = RequestBody.data(try #require(text.data(using: encoding)))
        let typed = OneOffRequest<Anything>("x", method: .post, body: body, response: .json())
        let pathed = OneOffRequest<Anything>("x", method: .post, body: body, response: .json(keyPath: "a.0"))
        let own = OneOffRequest<Anything>(
          "x", method: .post, body: body, response: .json(decoder: JSONDecoder()))
        let untyped = OneOffRequest<JSONValue>("x", method: .post, body: body, response: .json())
        let errors = [
          await Self.error(agent, typed), await Self.error(agent, pathed), await Self.error(agent, own),
          await Self.error(agent, typed.with(\.jsonCoding, .droppingNulls)),
          await Self.error(agent, typed.with(\.jsonDecoder, JSONCodingTests.Upper())),
          await Self.error(agent, untyped),
        ]
        for error in errors {
          #expect(error?.kind == .decoding && error?.reason == Self.reason, "\(text.prefix(9)) \(encoding)")
        }
      }
    }
  }

  private static func error(_ agent: RequestAgent, _ request: some Request) async -> RequestError? {
    do {
      _ = try await agent.send(request)
      return nil
    } catch {
      return error as? RequestError
    }
  }

  // Foundation on Linux mistakes the byte order mark of UTF-32 for the mark of UTF-16, and cannot decode such
  // data.
  @Test("512 levels are read", arguments: encodings.filter { $0 != .utf32 })
  func deepEnough(_ encoding: String.Encoding) throws {
    for text in [Self.texts(512)[1], Self.texts(512)[3], Self.texts(512)[4]] {
      let data = try #require(text.data(using: encoding))
      _ = try JSONCoding().decode(Anything.self, from: data)
      _ = try JSONCoding().decode(JSONValue.self, from: data)
    }
    // Siblings add no depth, and brackets in strings do not count. The character U+5B5B consists of bracket
    // bytes in UTF-16.
    let brackets = String(repeating: "[", count: 2_000)
    let wide =
      "[\(String(repeating: "[],{},", count: 2_000))\"\\\\\\\"\(brackets)\", \"\u{5B5B}\(brackets)\"]"
    let data = try #require(wide.data(using: encoding))
    #expect(try JSONCoding().decode(JSONValue.self, from: data).array?.count == 4_002)
    _ = try JSONCoding().decode(Anything.self, from: data)
  }

  @Test("A deep response over a socket is refused, and the next request works")
  func overSockets() async throws {
    let server = try MockServer()
    server.add(
      Stub(.get, "/deep", answers: .json(String(repeating: "[", count: 513))),
      Stub(.get, "/flat", answers: .json("[1]")))
    let agent = RequestAgent(baseURL: server.baseURL)
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(.get("deep", as: [Int].self))
    }
    #expect(error?.kind == .decoding && error?.reason == Self.reason)
    #expect(try await agent.send(.get("flat", as: [Int].self)) == [1])
  }

  @Test("JSON5 is checked by Foundation's parser, and a decoded report by ErrandJSON")
  func others() throws {
    var five = JSONCoding()
    five.allowsJSON5 = true
    for depth in 510...516 {
      for text in Self.texts(depth) { _ = try? five.decode(Anything.self, from: Data(text.utf8)) }
    }
    #expect(try five.decode([String].self, from: Data("['\"[']".utf8)) == ["\"["])
    let error = #expect(throws: DecodingError.self) {
      try JSONCoding().decode(ExchangeReport.self, from: Data(Self.texts(513)[0].utf8))
    }
    #expect(error?.clause == Self.reason)
  }
}

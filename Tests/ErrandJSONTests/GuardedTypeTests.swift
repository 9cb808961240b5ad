import ErrandJSON
import Foundation
import Testing

/// Documents that may end the process if Foundation decodes the documents directly, and valid documents.
@Suite("JSON that crashes Foundation's own decoding")
struct GuardedTypeTests {
  private func decode<Value: Decodable>(
    _ type: Value.Type, _ text: String, by coding: JSONCoding = JSONCoding()
  ) throws -> Value {
    try coding.decode(type, from: Data(text.utf8))
  }

  private static var codings: [JSONCoding] {
    var (json5, nullFree) = (JSONCoding(), JSONCoding())
    json5.allowsJSON5 = true
    (nullFree.allowsJSON5, nullFree.dropsNulls) = (true, true)
    return [JSONCoding(), json5, nullFree]
  }

  /// Returns the error of decoding with strict JSON; `JSON5 differs` if JSON5 has another error.
  private func problem<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
    let problems = Self.codings.map { problem(type, text, by: $0) }
    return Set(problems).count == 1 ? problems[0] : "JSON5 differs: \(problems)"
  }

  private func problem<Value: Decodable>(_ type: Value.Type, _ text: String, by coding: JSONCoding) -> String
  {
    do {
      _ = try decode(type, text, by: coding)
      return "decoded"
    } catch DecodingError.dataCorrupted(let context) {
      return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
    } catch {
      return "another error"
    }
  }

  @Test(
    "URLComponents: an invalid scheme and a negative port are refused",
    arguments: [
      (#"{"path":"","scheme":""}"#, "The scheme of URLComponents is invalid."),
      (#"{"path":"","scheme":"1a"}"#, "The scheme of URLComponents is invalid."),
      (#"{"scheme":"a b","port":"x"}"#, "The scheme of URLComponents is invalid."),
      (#"{"path":"","scheme":"é"}"#, "The scheme of URLComponents is invalid."),
      (#"{"path":"","scheme":"a:"}"#, "The scheme of URLComponents is invalid."),
      (#"{"path":"","port":-1}"#, "The port of URLComponents is negative."),
      (
        #"{"path":"","scheme":"https","port":-9223372036854775808}"#, "The port of URLComponents is negative."
      ),
    ])
  func components(text: String, expected: String) {
    #expect(problem(URLComponents.self, text) == ": \(expected)")
    #expect(problem([URLComponents].self, "[{\"path\":\"\"},\(text)]").hasSuffix(": \(expected)"))
    #expect(problem([String: URLComponents?].self, "{\"a\":\(text)}") == "a: \(expected)")
  }

  @Test(
    "IndexSet: a negative length and a range beyond Int are refused",
    arguments: [
      #"{"indexes":[{"location":1,"length":-2}]}"#,
      #"{"indexes":[{"location":9223372036854775807,"length":1}]}"#,
      #"{"indexes":[{"location":1,"length":1},{"location":9223372036854775806,"length":2}]}"#,
      #"{"indexes":[{"location":1,"length":9223372036854775807},"x"]}"#,
      #"{"indexes":[{"location":-9223372036854775808,"length":9223372036854775807},{"location":-1,"length":4}]}"#,
      #"{"indexes":[{"location":4611686018427387904,"length":45},{"location":0,"length":9223372036854775807}]}"#,
      #"{"indexes":[{"location":-1,"length":0}]}"#,
    ])
  func indexes(text: String) {
    #expect(problem(IndexSet.self, text) == ": A range of IndexSet is invalid.")
  }

  private static func blocks(_ count: Int) -> Data {
    Data((0..<count * 32).map { UInt8(1 + $0 / 32 % 200) })
  }

  private static func plane(_ number: UInt8) -> Data { Data([number]) + Data(count: 8_192) }

  @Test(
    "CharacterSet: an empty bitmap, an invalid or truncated plane, and too many mixed blocks are refused",
    arguments: [
      Data(), Data(count: 8_193), Data(count: 8_192) + plane(0), Data(count: 8_192) + plane(17),
      Data(count: 8_192) + plane(1) + plane(255), Data(count: 8_192) + plane(1).dropLast(), blocks(129),
      blocks(256), blocks(256) + plane(1), Data(repeating: 0xA5, count: 8_189),
    ])
  func characters(bitmap: Data) {
    #expect(
      problem([String: CharacterSet].self, #"{"a":{"bitmap":"\#(bitmap.base64EncodedString())"}}"#)
        == "a: The bitmap of CharacterSet is invalid."
    )
  }

  @Test("CharacterSet: Foundation's own bitmaps, and bitmaps just within the bounds, are decoded")
  func rightCharacters() throws {
    let own: [CharacterSet] = [
      .alphanumerics, .letters.inverted, .symbols, .illegalCharacters, .punctuationCharacters,
      .nonBaseCharacters,
    ]
    for set in own {
      let read = try JSONCoding().decode(CharacterSet.self, from: JSONCoding().encode(set))
      #expect(read.bitmapRepresentation == set.bitmapRepresentation)
    }
    for bitmap in [Self.blocks(1), Self.blocks(128), Self.blocks(128) + Data(count: 4_096) + Self.plane(16)] {
      let text = #"{"bitmap":"\#(bitmap.base64EncodedString())"}"#
      _ = try decode(CharacterSet.self, text)
    }
  }

  @Test("IndexSet: large ranges within the bounds are merged")
  func largeRanges() throws {
    var random = SystemRandomNumberGenerator()
    let most = Int.max / 4
    for _ in 0..<2_000 {
      let ranges = (0..<4).map { _ in
        let place = Int.random(in: 0...most, using: &random) >> Int.random(in: 0...60, using: &random)
        let length = Int.random(in: 0...most, using: &random) >> Int.random(in: 0...60, using: &random)
        return #"{"location":\#(place),"length":\#(length)}"#
      }
      _ = try decode(IndexSet.self, #"{"indexes":[\#(ranges.joined(separator: ","))]}"#).count
    }
  }

  @Test("Valid values are decoded, and other invalid values throw Foundation's error")
  func others() throws {
    let components = try #require(URLComponents(string: "https://u:p@h:8080/a%20b?q=1#f"))
    let set = IndexSet([0..<2, 5..<7, 9..<10].flatMap(Array.init))
    let encoded = try JSONCoding().encode(components)
    #expect(try JSONCoding().decode(URLComponents.self, from: encoded) == components)
    #expect(try JSONCoding().decode(IndexSet.self, from: JSONCoding().encode(set)) == set)
    let letters = CharacterSet(charactersIn: "a"..."f")
    #expect(try JSONCoding().decode(CharacterSet.self, from: JSONCoding().encode(letters)) == letters)
    #expect(try decode(URLComponents.self, #"{"path":"x","scheme":null,"port":0}"#).port == 0)
    #expect(try decode(URLComponents.self, #"{"path":"","scheme":"A1+.-z"}"#).scheme == "A1+.-z")
    #expect(try Array(decode(IndexSet.self, #"{"indexes":[{"location":3,"length":0}]}"#)) == [])
    for text in ["1", "null", "[]", #"{"scheme":1}"#, #"{"path":"","port":"x"}"#] {
      #expect(problem(URLComponents.self, text) == "another error")
    }
    for text in ["{}", #"{"indexes":1}"#, #"{"indexes":[{"location":1}]}"#] {
      #expect(problem(IndexSet.self, text) == "another error")
    }
  }
}

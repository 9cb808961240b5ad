import ErrandJSON
import Foundation
import Testing

/// Each of these documents ends the process where Foundation decodes it.
@Suite("JSON that Foundation's own decoding has no answer to")
struct GuardedTypeTests {
  private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONCoding().decode(type, from: Data(text.utf8))
  }

  private func problem<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
    do {
      _ = try decode(type, text)
      return "decoded"
    } catch DecodingError.dataCorrupted(let context) {
      return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
    } catch {
      return "another error"
    }
  }

  @Test(
    "URLComponents: a scheme that is none, and a negative port",
    arguments: [
      (#"{"path":"","scheme":""}"#, "The scheme of URLComponents is none."),
      (#"{"path":"","scheme":"1a"}"#, "The scheme of URLComponents is none."),
      (#"{"scheme":"a b","port":"x"}"#, "The scheme of URLComponents is none."),
      (#"{"path":"","scheme":"é"}"#, "The scheme of URLComponents is none."),
      (#"{"path":"","scheme":"a:"}"#, "The scheme of URLComponents is none."),
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
    "IndexSet: a range of negative length or beyond all numbers",
    arguments: [
      #"{"indexes":[{"location":1,"length":-2}]}"#,
      #"{"indexes":[{"location":9223372036854775807,"length":1}]}"#,
      #"{"indexes":[{"location":1,"length":1},{"location":9223372036854775806,"length":2}]}"#,
      #"{"indexes":[{"location":1,"length":9223372036854775807},"x"]}"#,
    ])
  func indexes(text: String) {
    #expect(problem(IndexSet.self, text) == ": A range of IndexSet is none.")
  }

  @Test("CharacterSet: an empty bitmap")
  func characters() {
    #expect(
      problem([String: CharacterSet].self, #"{"a":{"bitmap":""}}"#)
        == "a: The bitmap of CharacterSet is empty."
    )
  }

  @Test("What is right is decoded, and what is wrong in another way is Foundation's error")
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

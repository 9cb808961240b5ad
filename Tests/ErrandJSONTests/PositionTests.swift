import ErrandJSON
import Foundation
import Testing

@Suite("Decoding errors carry a position")
struct PositionTests {
  struct Item: Decodable {
    var id: Int
    var tags: [String]?
    var inner: [String: UInt8]?
  }

  /// The position and the coding path of a failure.
  static func failure(_ text: String, _ coding: JSONCoding = JSONCoding()) -> String? {
    do {
      _ = try coding.decode([Item].self, from: Data(text.utf8))
      return nil
    } catch let error as DecodingError {
      let path =
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
          .valueNotFound(_, let context):
          context.codingPath.map(\.stringValue).joined(separator: "/")
        @unknown default: "?"
        }
      return "\(path) at \(error.jsonPosition.map { "\($0), offset \($0.offset)" } ?? "no place")"
    } catch {
      return "\(error)"
    }
  }

  static let rows: [(String, String)] = [
    ("[\n  {\"id\": 1},\n  {\"id\": \"x\"}\n]", "Index 1/id at line 3, column 10, offset 24"),
    ("[{\"tags\":[\"a\",7],\"id\":1}]", "Index 0/tags/Index 1 at line 1, column 15, offset 14"),
    ("[{\"tags\":[]}]", "Index 0 at line 1, column 2, offset 1"),
    (
      "[{\"id\":1,\r\n\"inner\":{\"a]\\\"\":[1,{}], \"b\":256}}]",
      "Index 0/inner/a]\" at line 2, column 17, offset 27"
    ),
    ("[{\"id\":1,\"inner\":{\"b\" : -1}}]", "Index 0/inner/b at line 1, column 25, offset 24"),
    ("[{\"id\":1,\"tags\":[\"\\u00zz\"]}]", "Index 0/tags/Index 0 at line 1, column 19, offset 18"),
    ("[{\"id\":1}", " at line 1, column 10, offset 9"), ("{}", " at line 1, column 1, offset 0"),
  ]

  @Test("Errors have the line, column and offset of the value or of the invalid byte", arguments: rows)
  func positions(_ row: (String, String)) {
    #expect(Self.failure(row.0) == row.1)
  }

  static let stringRows: [(String, String)] = [
    (#""ab\qc""#, #"the string has an unknown escape sequence: \q, column 4"#),
    ("\"ab\tc\"", "the string has the control character U+0009, which must be escaped, column 4"),
    (#""\ud83d!""#, "the string has an unpaired surrogate, column 2"),
    (#""é\u12g4""#, #"the string has a \u without four hexadecimal digits, column 4"#),
  ]

  @Test("An invalid string is an error with the reason at the position in the string", arguments: stringRows)
  func stringFaults(_ row: (String, String)) throws {
    #expect(try Self.stringFault(Data("[\n\(row.0)]".utf8)) == row.1)
    let name = Data("{\"a\":1,\n\(row.0):2}".utf8)
    #expect(try Self.stringFault(name) == row.1)
  }

  @Test("Invalid UTF-8 is reported with its string")
  func bytes() throws {
    let text = Data("[\n\"é".utf8) + Data([0xE9, 0x41, 0x22, 0x5D])
    #expect(try Self.stringFault(text) == "the string has invalid UTF-8, column 4")
  }

  /// Returns the message and the column of the error for a string in the second line.
  private static func stringFault(_ text: Data) throws -> String {
    let isArray = text.first == UInt8(ascii: "[")
    let error = try #require(throws: DecodingError.self) {
      if isArray {
        _ = try JSONCoding().decode([String].self, from: text)
      } else {
        _ = try JSONCoding().decode([String: Int].self, from: text)
      }
    }
    guard case .dataCorrupted(let context) = error, let position = error.jsonPosition else { throw error }
    #expect(position.line == 2)
    return "\(context.debugDescription), column \(position.column)"
  }

  @Test("An error without a location has no position, except in a document of a single value")
  func nowhere() {
    var coding = JSONCoding()
    coding.dateDecodingStrategy = .custom { _ in
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "bad date"))
    }
    func position<Value: Decodable>(_ type: Value.Type, _ text: String) -> String? {
      let result = Result { try coding.decode(type, from: Data(text.utf8)) }
      guard case .failure(let error as DecodingError) = result else { return "none failed" }
      return error.jsonPosition?.description
    }
    #expect(position([Date].self, "[\n1]") == nil)
    #expect(position(Date.self, "\n1") == "line 2, column 1")
  }

  @Test("An error caught while decoding has no position, and costs no line count")
  func caught() throws {
    struct Skipped: Decodable {
      init(from decoder: any Decoder) throws {}
    }
    struct Lossy: Decodable {
      var values: [String] = []
      var hasPosition = false

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
          do {
            values.append(try container.decode(String.self))
          } catch let error as DecodingError {
            hasPosition = hasPosition || error.jsonPosition != nil
            _ = try container.decode(Skipped.self)
          }
        }
      }
    }
    let lossy = try JSONCoding().decode(Lossy.self, from: Data(#"["a","\q",1,"b"]"#.utf8))
    #expect(lossy.values == ["a", "b"])
    #expect(!lossy.hasPosition)
  }

  @Test("Invalid JSON is found before any value is decoded")
  func syntaxFirst() {
    #expect(Self.failure("[1,\n\n2}") == " at line 3, column 2, offset 6")
  }

  @Test("Converted names, dropped nulls and assumed braces do not change the position")
  func settings() {
    struct Wide: Decodable { var fooBarBaz: Int }
    func position<Value: Decodable>(_ type: Value.Type, _ text: String, _ coding: JSONCoding) -> String? {
      let result = Result { try coding.decode(type, from: Data(text.utf8)) }
      guard case .failure(let error as DecodingError) = result else { return nil }
      return error.jsonPosition?.description
    }
    #expect(
      position([Wide].self, #"[{"x_y":[1],"foo_bar_baz":"no"}]"#, .snakeCase) == "line 1, column 27")
    #expect(position([Int].self, "[null, 1, null,\nnull, \"no\"]", .droppingNulls) == "line 2, column 7")
    var braceless = JSONCoding()
    braceless.assumesTopLevelDictionary = true
    #expect(position([String: Int].self, "\"a\": 1,\n\"b\": true", braceless) == "line 2, column 6")
    #expect(position([String: Int].self, "\"a\": 1, b", braceless) == "line 1, column 9")
    #expect(position([Int].self, "\"a\": 1", braceless) == "line 1, column 1")
    #expect(position([String: Int].self, "\"a\": \n ", braceless) == "line 2, column 2")
    #expect(position([String: Int].self, "\"a\": 1}\n", braceless) == "line 1, column 7")
    #expect(position([String: Int].self, "\"a\": {", braceless) == "line 1, column 7")
  }

  @Test("An underlying error is kept, and an error of a nested decoding keeps its own position")
  func underlying() throws {
    struct Reason: Error, Equatable {}
    struct Failing: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no", underlyingError: Reason()))
      }
    }
    struct Text: Decodable {
      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        _ = try JSONCoding().decode([Int].self, from: Data(text.utf8))
      }
    }
    let failure = Result { try JSONCoding().decode([Failing].self, from: Data("[\n1]".utf8)) }
    guard case .failure(DecodingError.dataCorrupted(let context)) = failure else { throw Reason() }
    #expect(context.underlyingError as? Reason == Reason())
    #expect(context.debugDescription == "no (line 2, column 1)")
    for (text, position) in [
      ("[\n\n\"[1, true]\"]", "line 1, column 5"), ("[\n\n\"[1,\"]", "line 1, column 4"),
    ] {
      #expect {
        try JSONCoding().decode([Text].self, from: Data(text.utf8))
      } throws: {
        ($0 as? DecodingError)?.jsonPosition?.description == position
      }
    }
  }

  @Test("A key strategy receives the whole path of each name")
  func customNames() throws {
    struct Inner: Decodable { var value: Int }
    var coding = JSONCoding()
    coding.keyDecodingStrategy = .custom { path in
      path.count == 2 ? AnyKey(String(path[1].stringValue.dropFirst())) : path[0]
    }
    #expect {
      try coding.decode([String: Inner].self, from: Data(#"{"a":{"xvalue":true}}"#.utf8))
    } throws: {
      ($0 as? DecodingError)?.jsonPosition?.description == "line 1, column 16"
    }
  }
}

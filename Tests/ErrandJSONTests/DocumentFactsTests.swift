import ErrandJSON
import Foundation
import JSONCases
import Testing

/// Facts about accepted documents, member names and texts that hold for ErrandJSON and for Foundation.
@Suite("Documents") struct DocumentFactsTests {
  private struct One: Decodable { let a: Int }

  @Test("The first of duplicate names counts, by Swift's string equality", arguments: Side.allCases)
  func duplicates(side: Side) {
    #expect(side.result(One.self, #"{"a":1,"a":2}"#) == "One(a: 1)")
    #expect(side.result(One.self, #"{"\u0061":1,"a":2}"#) == "One(a: 1)")
    #expect(side.result(One.self, #"{"a":null,"a":2}"#) == "valueNotFound(Int) /a")
    #expect(side.result(One.self, #"{"a":"x","a":2}"#) == "typeMismatch(Int) /a")
    #expect(side.result([String: Int].self, "{\"é\":1,\"e\u{301}\":2}") == #"["é": 1]"#)
    #expect(side.result([String: Int].self, #"{"e\u0301":1,"\u00e9":2}"#) == "[\"e\u{301}\": 1]")
    #expect(side.result([String: Int].self, #"{"a":1,"a":"x"}"#) == #"["a": 1]"#)
  }

  private struct Snake: Decodable { let fooBar: Int }

  @Test(
    "The first of names that become equal counts, and dictionaries keep their names",
    arguments: Side.allCases)
  func snakeCase(side: Side) {
    func snake<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
      side.result(type, text) { $0.keyDecodingStrategy = .convertFromSnakeCase }
    }
    #expect(snake(Snake.self, #"{"foo_bar":1,"fooBar":2}"#) == "Snake(fooBar: 1)")
    #expect(snake(Snake.self, #"{"fooBar":1,"foo_bar":2}"#) == "Snake(fooBar: 1)")
    #expect(snake(Snake.self, #"{"foo\u005fbar":1}"#) == "Snake(fooBar: 1)")
    #expect(snake([String: Int].self, #"{"foo_bar":1}"#) == #"["foo_bar": 1]"#)
    #expect(
      snake([String: Snake].self, #"{"foo_bar":{"foo_bar":1}}"#)
        == #"["foo_bar": ErrandJSONTests.DocumentFactsTests.Snake(fooBar: 1)]"#
        || snake([String: Snake].self, #"{"foo_bar":{"foo_bar":1}}"#).contains("Snake(fooBar: 1)"))
    #expect(snake([Int: Int].self, #"{"1_2":1}"#) == "[12: 1]")
    // All members of a dictionary with string keys are decoded, even repeated members without effect.
    #expect(snake([String: Int].self, #"{"a":1,"a":"x"}"#) == "typeMismatch(Int) /a")
    #expect(snake([String: Int].self, "null") == "valueNotFound(Dictionary<String, Any>) /")
    #expect(snake([String: Int].self, "[]") == "typeMismatch(Dictionary<String, Any>) /")
  }

  @Test(
    "Names in snake case are converted as in Foundation",
    arguments: [
      ("foo_bar", "fooBar"), ("foo__bar", "fooBar"), ("_foo_bar", "_fooBar"), ("__foo", "__foo"),
      ("foo_", "foo_"),
      ("foo_bar__", "fooBar__"), ("_", "_"), ("__", "__"), ("", ""), ("FOO_BAR", "fooBar"),
      ("Foo_Bar", "fooBar"),
      ("foo_BAR_baz", "fooBarBaz"), ("fooBar", "fooBar"), ("FooBar", "FooBar"), ("foo_1", "foo1"),
      ("1_foo", "1Foo"),
      ("_A_B_", "_aB_"), ("_A_", "_A_"), ("é_ö", "éÖ"), ("ß_ßx", "ßSsx"), ("foo_ŉa", "fooʼNa"),
      ("x_ǆx", "xǅx"),
      ("i_ı", "iI"), ("İ_x", "i\u{307}X"), ("foo_ﬁsh", "fooFish"),
      ("foo_o'neil bar", "fooO'neil Bar"),
      ("foo_a-b.c d", "fooA-B.C D"), ("foo_\u{301}bar", "foo_\u{301}bar"),
    ])
  func snakeNames(name: String, expected: String) throws {
    struct Names: Decodable {
      let name: String
      init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: AnyKey.self).allKeys[0].stringValue
      }
    }
    for side in Side.allCases {
      let document = try JSONEncoder().encode([name: 1])
      let found = try side.decode(Names.self, document) {
        $0.keyDecodingStrategy = .convertFromSnakeCase
      }
      .name
      #expect(Array(found.utf8) == Array(expected.utf8), "\(side)")
    }
  }

  @Test(
    "Unread values are not decoded", arguments: Side.allCases,
    [
      "01", "-", "1e", "1.2.3", "1-2", "1e400", "\"\\q\"", "\"\\ud83d\"", "\"\\u00g0\"",
      "\"\u{1}\"",
      "{\"\\q\":1}", "[1,]", "[01]",
    ])
  func unread(side: Side, value: String) {
    #expect(side.result(One.self, "{\"z\":\(value),\"a\":1}") == "One(a: 1)")
  }

  @Test(
    "The syntax is checked everywhere", arguments: Side.allCases,
    [
      "nul", "+1", ".5", "[,]", "{a:1}", "\"\\u12\"", "\"\\u\"", "NaN", "'x'", "[1 2]", "{\"a\" 1}",
      "{\"a\":}", "\"",
    ])
  func syntax(side: Side, value: String) {
    #expect(side.result(One.self, "{\"z\":\(value),\"a\":1}") == "dataCorrupted /")
  }

  @Test("Names are checked when their object is read", arguments: Side.allCases)
  func names(side: Side) {
    for name in [#"\q"#, #"\ud83d"#, #"\u00g0"#, "\u{1}"] {
      #expect(side.result(One.self, "{\"a\":1,\"\(name)\":2}") == "dataCorrupted /")
      #expect(side.result(One.self, "{\"a\":1,\"z\":{\"\(name)\":2}}") == "One(a: 1)")
    }
    #expect(side.result([String: Int].self, #"{"":1}"#) == #"["": 1]"#)
  }

  @Test(
    "Invalid UTF-8 fails when read, and is never repaired", arguments: Side.allCases,
    [
      [0x80], [0xC0, 0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func invalidText(side: Side, bytes: [UInt8]) {
    func document(_ before: String, _ after: String) -> Data {
      Data(before.utf8) + Data(bytes) + Data(after.utf8)
    }
    #expect(side.result([String].self, document("[\"a", "b\"]")) == side.unreadable("/Index 0[0]"))
    #expect(side.result([String].self, document("[\"\\n", "b\"]")) == side.unreadable("/Index 0[0]"))
    #expect(side.result(One.self, document("{\"k", "\":1,\"a\":2}")) == "dataCorrupted /")
    #expect(side.result(One.self, document("{\"a\":2,\"z\":\"", "\"}")) == "One(a: 2)")
  }

  @Test(
    "Texts have the escapes of the standard", arguments: Side.allCases,
    [
      (#"\ud83d\ude00"#, "😀"), (#"\uD83D\uDE00"#, "😀"), (#"\u0000"#, "\0"), (#"\/\"\\"#, #"/"\"#),
      (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
      (#"\uFFFF"#, "\u{FFFF}"), (#"\uFEFFx"#, "\u{FEFF}x"), ("\u{7F}", "\u{7F}"),
      (#"a\u00e9b"#, "aéb"),
      (#"\ud800\udc00"#, "\u{10000}"),
      (#"\ud83d"#, nil), (#"\ude00"#, nil), (#"\ude00\ud83d"#, nil), (#"\ud83dx"#, nil),
      (#"\ud83d\n"#, nil),
      (#"\ud83d\u0041"#, nil),
      (#"\ud83d\u12"#, nil), (#"\u00g0"#, nil), (#"\u+123"#, nil), (#"\U0041"#, nil),
      (#"\x41"#, nil),
      (#"\'"#, nil), ("\u{1}", nil),
      ("a\tb", nil), ("\u{0}", nil), (#"\"#, nil),
    ] as [(String, String?)])
  func escapes(side: Side, text: (inside: String, expected: String?)) {
    let found = try? side.decode([String].self, "[\"\(text.inside)\"]")
    #expect(found.map { Array($0[0].utf8) } == text.expected.map { Array($0.utf8) })
  }

  @Test(
    "A document may be a single value, end with a comma, and begin with a byte order mark",
    arguments: Side.allCases)
  func wholes(side: Side) {
    let accepted = [
      "1", " 1 ", "\"x\"", "true", "null", "[1,]", "{\"a\":1,}", "[ ]", "\u{FEFF}[1]", "\r\n\t 1",
      "1\0",
    ]
    let refused = [
      "", " ", "\u{FEFF}", "[1]x", "[1],", "[,]", "[1,,2]", "{,}", " \u{FEFF}[1]",
      "\u{FEFF}\u{FEFF}[1]",
      "[1]\u{FEFF}",
      "\u{C}1", "\u{A0}1", "\u{2028}1", "[]\0", "12\0", "1 \0", "truex", "True", "NaN", "0x10",
      "//\n1",
      "[1}", "]", "[1", "\"a",
    ]
    for text in accepted {
      #expect((try? side.decode(Anything.self, text)) != nil, "\(text.debugDescription)")
    }
    for text in refused {
      #expect(side.result(Anything.self, text) == "dataCorrupted /", "\(text.debugDescription)")
    }
  }

  @Test(
    "UTF-16 and UTF-32 documents are decoded", arguments: Side.allCases,
    [
      String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
      .utf16,
    ])
  func encodings(side: Side, encoding: String.Encoding) throws {
    let document = try #require("[\"é😀\",\"1\"]".data(using: encoding))
    #expect(side.result([String].self, document) == #"["é😀", "1"]"#)
  }

  @Test(
    "A UTF-16 document with half a character fails as a whole, and an extra byte is ignored",
    arguments: Side.allCases)
  func oddEncodings(side: Side) {
    #expect(side.result(Anything.self, Data([0x22, 0, 0x3D, 0xD8, 0x22, 0])) == "dataCorrupted /")
    #expect(side.result([Int].self, Data([0x5B, 0, 0x31, 0, 0x5D, 0, 0x20])) == "[1]")
    #expect(side.result([Int].self, Data([0xFF, 0xFE, 0x5B, 0, 0x31, 0, 0x5D, 0])) == "[1]")
    #expect(side.result(Int.self, Data([0, 0x31])) == "1")
  }

  @Test("Documents without braces decode as members", arguments: Side.allCases)
  func braceless(side: Side) {
    func result(_ text: String) -> String {
      side.result([String: Int].self, text) { $0.assumesTopLevelDictionary = true }
    }
    for text in ["\"a\":1 ", "\"a\":1, ", "{\"a\":1}", " {\"a\":1} "] {
      #expect(result(text) == #"["a": 1]"#)
    }
    #expect(result("") == "[:]")
    for text in ["\"a\":1}", "{\"a\":1", "[1]", "1", "null", "\"a\"", "\"a\":1,,"] {
      #expect(result(text) == "dataCorrupted /")
    }
  }
}

/// Documents that may crash the process in Foundation's decoder, and similar documents.
@Suite("Documents that crash Foundation") struct TrapTests {
  @Test("513 open brackets are refused", arguments: [513, 514, 2000, 100_000])
  func openBrackets(depth: Int) {
    let open = String(repeating: "[", count: depth)
    #expect(Side.ours.result(Anything.self, open) == "dataCorrupted /")
    #expect(Side.ours.result([Int].self, open) == "dataCorrupted /")
    #expect(Side.ours.result([String: Int].self, #"{"z":"# + open) == "dataCorrupted /")
  }

  @Test("Bytes after the end are not read", arguments: [false, true])
  func numberAtTheEnd(isJSON5: Bool) {
    // The bytes after the slice continue the number in memory.
    let member = Data(#""a":1256"#.utf8).prefix(5)
    let members = Side.ours.result([String: Double].self, member) {
      $0.assumesTopLevelDictionary = true
      $0.allowsJSON5 = isJSON5
    }
    #expect(members == #"["a": 1.0]"#)
    let number = Data("1256".utf8).prefix(1)
    #expect(Side.ours.result(Double.self, number) { $0.allowsJSON5 = isJSON5 } == "1.0")
  }

  @Test(
    "JSON5 documents with malformed numbers are refused",
    arguments: [
      "1e+", "1E-", ".5e+", "5.e-", "0x1e+", "0x0x11", ".", "+", "-", "+-1", "1..", "0x", "1e", "1.2.3", "1a",
    ])
  func exponent(number: String) {
    #expect(Side.ours.result([Double].self, "[\(number)]") { $0.allowsJSON5 = true } == "dataCorrupted /")
    #expect(Side.ours.result([Int].self, "[\(number)]") { $0.allowsJSON5 = true } == "dataCorrupted /")
  }

  @Test(
    "JSON5 number forms are decoded",
    arguments: [
      ("+1.", "1.0"), (".5e-3", "0.0005"), ("-.5", "-0.5"), ("0XfF", "255.0"), ("-0x10", "-16.0"),
      ("-Infinity", "-inf"), ("+Infinity", "inf"), ("12E+2", "1200.0"), ("5.e1", "50.0"),
    ])
  func numbersOfJSON5(number: String, value: String) {
    for side in [Side.ours, .foundation] {
      #expect(side.result([Double].self, "[\(number)]") { $0.allowsJSON5 = true } == "[\(value)]")
    }
  }

  @Test(
    "JSON5 documents with invalid names are refused",
    arguments: [[0xFF], [0xF8, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func names(bytes: [UInt8]) {
    let document = Data("{".utf8) + Data(bytes) + Data("aaaaaaaaaaaa:1}".utf8)
    #expect(Side.ours.result([String: Int].self, document) { $0.allowsJSON5 = true } == "dataCorrupted /")
  }

  @Test("JSON5 numbers are kept if nulls are dropped")
  func numbersWithoutNulls() throws {
    var coding = JSONCoding.droppingNulls
    coding.allowsJSON5 = true
    let text = Data("[Infinity,null,-Infinity,-0.0,NaN,+1,0x10,18446744073709551615,1.5,-0]".utf8)
    let numbers = try coding.decode([Double].self, from: text)
    #expect(
      numbers.map(\.description) == [
        "inf", "-inf", "-0.0", "nan", "1.0", "16.0", "1.8446744073709552e+19", "1.5", "-0.0",
      ])
    #expect(try coding.decode([UInt64].self, from: Data("[null,18446744073709551615,0]".utf8)) == [.max, 0])
  }
}

import Foundation
import Testing

@testable import Errand
@testable import ErrandJSON

@Suite("A tree of JSON") struct JSONTreeTests {
  static let unreadable =
    "a string has an invalid escape sequence, a control character or invalid UTF-8"

  func parse(_ text: String) throws -> JSONValue { try JSONTree.parse(Data(text.utf8)) }

  func failure(_ bytes: [UInt8]) -> String? {
    do {
      _ = try JSONTree.parse(Data(bytes))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("Every kind of value is read, and numbers keep their text")
  func values() throws {
    let text =
      #" {"a":[1,-0,1.50,12345678901234567890,2E+9],"b":"x\n\u00e9\uD83D\uDE00\/","c":[true,false,null,{},[]]} "#
    let numbers = ["1", "-0", "1.50", "12345678901234567890", "2E+9"]
    #expect(
      try parse(text)
        == .object([
          "a": .array(numbers.map { .number(JSONValue.Number(text: $0)) }), "b": .string("x\né😀/"),
          "c": .array([.bool(true), .bool(false), .null, .object([:]), .array([])]),
        ]))
    #expect(try parse("\u{FEFF}1") == .number(JSONValue.Number(text: "1")))
    #expect(try parse(#""\ud83d""#) == .string("\u{FFFD}"))
    #expect(try parse(#""\ud83d\u0041\udc00""#) == .string("\u{FFFD}A\u{FFFD}"))
  }

  @Test(
    "Invalid JSON is refused",
    arguments: [
      ("01", "a number is malformed at line 1, column 1"),
      ("[0, 1.]", "a number is malformed at line 1, column 5"),
      ("-", "a number is malformed at line 1, column 1"),
      ("+1", "unexpected '+' at line 1, column 1"),
      (".5", "unexpected '.' at line 1, column 1"),
      ("1e", "a number is malformed at line 1, column 1"),
      ("[,]", "unexpected ',' at line 1, column 2"), ("[1,\n,2]", "unexpected ',' at line 2, column 1"),
      ("{a:1}", "unexpected 'a' at line 1, column 2"), ("tru", "the text ends too early at line 1, column 4"),
      ("nul!", "unexpected '!' at line 1, column 4"), ("[nll]", "unexpected 'l' at line 1, column 3"),
      ("1 2", "unexpected '2' at line 1, column 3"),
      ("{\"b\":[\"a\nb\"]}", "\(unreadable) at line 1, column 7"),
      ("\"\\x\"", "\(unreadable) at line 1, column 1"),
      ("\"\\u12g4\"", "\(unreadable) at line 1, column 1"),
      ("\"abc", "a string does not end at line 1, column 5"),
      ("\"\\u12\"", "an escape sequence is incomplete at line 1, column 2"),
      ("", "the text ends too early at line 1, column 1"),
      ("NaN", "unexpected 'N' at line 1, column 1"), ("'a'", "unexpected ''' at line 1, column 1"),
      ("[\r\n{}\r]]", "unexpected ']' at line 3, column 2"),
    ])
  func refuses(text: String, reason: String) {
    #expect(failure(Array(text.utf8)) == reason)
  }

  @Test("Strings with invalid UTF-8 are refused")
  func utf8() {
    #expect(failure([0x22, 0xFF, 0x22]) == "\(Self.unreadable) at line 1, column 1")
    #expect(failure([0x22, 0xED, 0xA0, 0x80, 0x22]) == "\(Self.unreadable) at line 1, column 1")
  }

  @Test("512 levels and no more are read, on the small stack of a secondary thread")
  func depth() async {
    let results = await withCheckedContinuation { continuation in
      let thread = Thread {
        let deep = [512, 513, 200_000].map { depth in
          self.failure([UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth))
        }
        continuation.resume(returning: deep)
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    let refused = "the JSON is nested deeper than 512 levels"
    #expect(results == [nil, refused, refused])
  }

  @Test("A trailing comma is ignored, as in decoding")
  func trailingCommas() throws {
    #expect(try parse(#"{"a":[1,2,],}"#) == ["a": [1, 2]])
  }

  @Test(
    "Whole numbers are distinguished by their digits",
    arguments: [
      ("0", true), ("-7", true), ("1.0", true), ("1.5", false), ("1e3", true), ("1.25e2", true),
      ("1.25e1", false),
      ("120e-1", true), ("125e-1", false), ("0e-99999999999999999999", true),
      ("1e99999999999999999999", true),
      ("1e-99999999999999999999", false), ("0.0e5", true), ("9007199254740993", true), ("1000e-3", true),
      ("1e-9223372036854775808", false), ("100.0e-2", true), ("1e+2", true),
    ])
  func integers(text: String, isInteger: Bool) {
    #expect(JSONValue.Number(text: text).isInteger == isInteger)
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("The JSON parser") struct JSONParserTests {
  func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Data(text.utf8)) }

  func failure(_ bytes: [UInt8]) -> String? {
    do {
      _ = try JSONParser.parse(Data(bytes))
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("reads every kind of value and keeps numbers as they were written")
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
    "refuses what is no JSON",
    arguments: [
      ("01", "unexpected '1' at offset 1"), ("1.", "it ends too early"), ("-", "it ends too early"),
      ("+1", "unexpected '+' at offset 0"), (".5", "unexpected '.' at offset 0"), ("1e", "it ends too early"),
      ("[1,]", "unexpected ']' at offset 3"), ("{\"a\":1,}", "unexpected '}' at offset 7"),
      ("{a:1}", "unexpected 'a' at offset 1"), ("tru", "it ends too early"),
      ("nul!", "unexpected '!' at offset 3"),
      ("\"a\nb\"", "unexpected byte 0xa at offset 2"), ("\"\\x\"", "unexpected 'x' at offset 2"),
      ("\"\\u12g4\"", "unexpected 'g' at offset 5"), ("1 2", "unexpected '2' at offset 2"),
      ("", "it ends too early"), ("NaN", "unexpected 'N' at offset 0"), ("'a'", "unexpected ''' at offset 0"),
    ])
  func refuses(text: String, reason: String) {
    #expect(failure(Array(text.utf8)) == reason)
  }

  @Test("refuses strings that are not valid UTF-8")
  func utf8() {
    #expect(failure([0x22, 0xFF, 0x22]) == "the string at offset 0 is not valid UTF-8")
    #expect(failure([0x22, 0xED, 0xA0, 0x80, 0x22]) == "the string at offset 0 is not valid UTF-8")
  }

  @Test("reads 512 levels and no more, on the small stack of a secondary thread")
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
    let refused = "it is nested deeper than 512 levels"
    #expect(results == [nil, refused, refused])
  }

  @Test(
    "tells whole numbers from others by their digits",
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

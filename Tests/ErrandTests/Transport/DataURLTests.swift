import Foundation
import Testing

@testable import Errand

@Suite("Data URLs")
struct DataURLTests {
  @Test(
    "A data URL returns its type and its bytes",
    arguments: [
      ("data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note"),
      ("data:text/plain,hi", "text/plain", "hi"),
      ("data:;charset=utf-8,%C3%A9", "text/plain;charset=utf-8", "é"),
      ("DATA:text/html;charset=utf-8;base64,w6k=", "text/html;charset=utf-8", "é"),
      ("data:;BASE64,aGk", "text/plain;charset=US-ASCII", "hi"),
      ("data:;base64,aGk%3D", "text/plain;charset=US-ASCII", "hi"),
      ("data:application/json,{\"a\":[1,2]}", "application/json", "{\"a\":[1,2]}"),
      ("data:text/plain,a?b,c#d", "text/plain", "a?b,c"),
      ("data:text/plain,100%", "text/plain", "100%"),
      ("data:,", "text/plain;charset=US-ASCII", ""),
    ])
  func answers(_ text: String, _ type: String, _ body: String) throws {
    let url = try URLJoining.url(base: nil, path: text, query: [])
    let response = try DataURL.response(for: url)
    #expect(response.status == 200 && response.headers == ["Content-Type": type] && response.url == url)
    #expect(String(decoding: response.body, as: UTF8.self) == body)
  }

  @Test(
    "A malformed data URL is refused",
    arguments: [
      ("data:text/plain", "the data URL has no comma"),
      ("data:;base64,a", "the data URL contains invalid Base64"),
      ("data:;base64,a*bc", "the data URL contains invalid Base64"),
      ("data:;base64,====", "the data URL contains invalid Base64"),
      ("http://h/,x", "the data URL begins with another scheme"),
    ])
  func refuses(_ text: String, _ message: String) throws {
    let url = try #require(URL(string: text))
    #expect(throws: Refusal(message, kind: .invalidURL)) { try DataURL.response(for: url) }
  }

  @Test("Any bytes round-trip in both encodings")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 9)
    for length in 0..<300 {
      let bytes = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
      let escaped = bytes.map { "%" + String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
      for text in ["data:,\(escaped)", "data:;base64,\(bytes.base64EncodedString())"] {
        let url = try URLJoining.url(base: nil, path: text, query: [])
        #expect(try DataURL.response(for: url).body == bytes)
      }
    }
  }

  /// fetch/data-urls/data-urls.json, without a test of `%20` at the end of a media type.
  @Test(
    "The web platform's table has the expected results",
    arguments: [
      ("data://test/,X", DataURL.defaultType, [88]),
      ("data:,X", DataURL.defaultType, [88]),
      ("data:,", DataURL.defaultType, []),
      ("data:,X#X", DataURL.defaultType, [88]),
      ("data:,%FF", DataURL.defaultType, [255]),
      ("data:text/plain,X", "text/plain", [88]),
      ("data:text/plain ,X", "text/plain", [88]),
      ("data:text/plain\u{C},X", "text/plain%0c", [88]),
      ("data:text/plain%0C,X", "text/plain%0c", [88]),
      ("data:text/plain;,X", "text/plain", [88]),
      ("data:;x=x;charset=x,X", "text/plain;x=x;charset=x", [88]),
      ("data:;x=x,X", "text/plain;x=x", [88]),
      ("data:text/plain;charset=windows-1252,%C2%B1", "text/plain;charset=windows-1252", [194, 177]),
      ("data:text/plain;Charset=UTF-8,%C2%B1", "text/plain;charset=UTF-8", [194, 177]),
      ("data:image/gif,%C2%B1", "image/gif", [194, 177]),
      ("data:IMAGE/gif,%C2%B1", "image/gif", [194, 177]),
      ("data:IMAGE/gif;hi=x,%C2%B1", "image/gif;hi=x", [194, 177]),
      ("data:IMAGE/gif;CHARSET=x,%C2%B1", "image/gif;charset=x", [194, 177]),
      ("data: ,%FF", DataURL.defaultType, [255]),
      ("data:%20,%FF", DataURL.defaultType, [255]),
      ("data:\u{C},%FF", DataURL.defaultType, [255]),
      ("data:%1F,%FF", DataURL.defaultType, [255]),
      ("data:\0,%FF", DataURL.defaultType, [255]),
      ("data:%00,%FF", DataURL.defaultType, [255]),
      ("data:text/html  ,X", "text/html", [88]),
      ("data:text / html,X", DataURL.defaultType, [88]),
      ("data:†,X", DataURL.defaultType, [88]),
      ("data:†/†,X", "%e2%80%a0/%e2%80%a0", [88]),
      ("data:X,X", DataURL.defaultType, [88]),
      ("data:image/png,X X", "image/png", [88, 32, 88]),
      ("data:application/xml,X X", "application/xml", [88, 32, 88]),
      ("data:unknown/unknown,X X", "unknown/unknown", [88, 32, 88]),
      ("data:text/plain;a=\",\",X", "text/plain;a=\"\"", [34, 44, 88]),
      ("data:text/plain;a=%2C,X", "text/plain;a=%2C", [88]),
      ("data:;base64;base64,WA", "text/plain", [88]),
      ("data:x/x;base64;base64,WA", "x/x", [88]),
      ("data:x/x;base64;charset=x,WA", "x/x;charset=x", [87, 65]),
      ("data:x/x;base64;charset=x;base64,WA", "x/x;charset=x", [88]),
      ("data:x/x;base64;base64x,WA", "x/x", [87, 65]),
      ("data:;base64,W%20A", DataURL.defaultType, [88]),
      ("data:;base64,W%0CA", DataURL.defaultType, [88]),
      ("data:;base64,W A", DataURL.defaultType, [88]),
      ("data:x;base64x,WA", DataURL.defaultType, [87, 65]),
      ("data:x;base64;x,WA", DataURL.defaultType, [87, 65]),
      ("data:x;base64=x,WA", DataURL.defaultType, [87, 65]),
      ("data:; base64,WA", DataURL.defaultType, [88]),
      ("data:;  base64,WA", DataURL.defaultType, [88]),
      ("data:  ;charset=x   ;  base64,WA", "text/plain;charset=x", [88]),
      ("data:;base64;,WA", "text/plain", [87, 65]),
      ("data:;base64 ,WA", DataURL.defaultType, [88]),
      ("data:;base64   ,WA", DataURL.defaultType, [88]),
      ("data:;base 64,WA", "text/plain", [87, 65]),
      ("data:;BASe64,WA", DataURL.defaultType, [88]),
      ("data:;%62ase64,WA", "text/plain", [87, 65]),
      ("data:%3Bbase64,WA", DataURL.defaultType, [87, 65]),
      ("data:;charset=x,X", "text/plain;charset=x", [88]),
      ("data:; charset=x,X", "text/plain;charset=x", [88]),
      ("data:;charset =x,X", "text/plain", [88]),
      ("data:;charset= x,X", "text/plain;charset=\" x\"", [88]),
      ("data:;charset=,X", "text/plain", [88]),
      ("data:;charset,X", "text/plain", [88]),
      ("data:;charset=\"x\",X", "text/plain;charset=x", [88]),
      ("data:;CHARSET=\"X\",X", "text/plain;charset=X", [88]),
      ("data:text/plain;a=b;base64,WA", "text/plain;a=b", [88]),
    ] as [(String, String, [UInt8])])
  func webPlatform(text: String, type: String, body: [UInt8]) throws {
    let response = try DataURL.response(for: try URLJoining.url(base: nil, path: text, query: []))
    #expect(response.headers == ["Content-Type": type])
    #expect(Array(response.body) == body)
  }

  /// fetch/data-urls/base64.json.
  @Test(
    "The web platform's table of Base64 has the expected results",
    arguments: [
      ("", []),
      ("abcd", [105, 183, 29]),
      (" abcd", [105, 183, 29]),
      ("abcd ", [105, 183, 29]),
      (" abcd===", nil),
      ("abcd=== ", nil),
      ("abcd ===", nil),
      ("a", nil),
      ("ab", [105]),
      ("abc", [105, 183]),
      ("abcde", nil),
      ("𐀀", nil),
      ("=", nil),
      ("==", nil),
      ("===", nil),
      ("====", nil),
      ("=====", nil),
      ("a=", nil),
      ("a==", nil),
      ("a===", nil),
      ("a====", nil),
      ("a=====", nil),
      ("ab=", nil),
      ("ab==", [105]),
      ("ab===", nil),
      ("ab====", nil),
      ("ab=====", nil),
      ("abc=", [105, 183]),
      ("abc==", nil),
      ("abc===", nil),
      ("abc====", nil),
      ("abc=====", nil),
      ("abcd=", nil),
      ("abcd==", nil),
      ("abcd===", nil),
      ("abcd====", nil),
      ("abcd=====", nil),
      ("abcde=", nil),
      ("abcde==", nil),
      ("abcde===", nil),
      ("abcde====", nil),
      ("abcde=====", nil),
      ("=a", nil),
      ("=a=", nil),
      ("a=b", nil),
      ("a=b=", nil),
      ("ab=c", nil),
      ("ab=c=", nil),
      ("abc=d", nil),
      ("abc=d=", nil),
      ("ab\tcd", [105, 183, 29]),
      ("ab\ncd", [105, 183, 29]),
      ("ab\u{C}cd", [105, 183, 29]),
      ("ab\rcd", [105, 183, 29]),
      ("ab cd", [105, 183, 29]),
      ("ab\u{A0}cd", nil),
      ("ab\t\n\u{C}\r cd", [105, 183, 29]),
      (" \t\n\u{C}\r ab\t\n\u{C}\r cd\t\n\u{C}\r ", [105, 183, 29]),
      ("ab\t\n\u{C}\r =\t\n\u{C}\r =\t\n\u{C}\r ", [105]),
      ("A", nil),
      ("/A", [252]),
      ("//A", [255, 240]),
      ("///A", [255, 255, 192]),
      ("////A", nil),
      ("/", nil),
      ("A/", [3]),
      ("AA/", [0, 15]),
      ("AAAA/", nil),
      ("AAA/", [0, 0, 63]),
      ("\0nonsense", nil),
      ("abcd\0nonsense", nil),
    ] as [(String, [UInt8]?)])
  func base64(text: String, bytes: [UInt8]?) throws {
    let escaped = text.utf8.map { "%" + String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    for written in [escaped, text] {
      let url = try URLJoining.url(base: nil, path: "data:;base64,\(written)", query: [])
      let body = try? DataURL.response(for: url).body
      #expect(body.map(Array.init) == bytes)
    }
  }

  @Test("A media type with a line break or a NUL is invalid")
  func lineBreaks() throws {
    for text in ["data:a/b%0D%0Ac;d=%0A,x", "data:a%0D%0Ab,x", "data:a/b;c=%00,x"] {
      let response = try DataURL.response(for: try #require(URL(string: text)))
      #expect(response.headers.problem == nil)
    }
  }
}

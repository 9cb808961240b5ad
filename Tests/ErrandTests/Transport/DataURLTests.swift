import Foundation
import Testing

@testable import Errand

@Suite("Data URLs")
struct DataURLTests {
  @Test(
    "A data URL answers with its type and its bytes",
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
      ("data:;base64,a", "the data URL has broken Base64 in it"),
      ("data:;base64,a*bc", "the data URL has broken Base64 in it"),
      ("data:a%0D%0Ab,x", "the data URL has a line break or a NUL in its media type"),
      ("http://h/,x", "the data URL begins with another scheme"),
    ])
  func refuses(_ text: String, _ message: String) throws {
    let url = try #require(URL(string: text))
    #expect(throws: Refusal(message, kind: .invalidURL)) { try DataURL.response(for: url) }
  }

  @Test("Any bytes survive both ways of writing them")
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
}

import ErrandURLSession
import Foundation
import Testing

@testable import Errand

@Suite("Responses and HTTPURLResponse")
struct HTTPResponseHTTPURLResponseTests {
  static let url = URL(string: "https://example.com/a")!

  @Test("A response converts to an HTTPURLResponse and back, except for its body")
  func roundTrip() throws {
    let response = HTTPResponse(status: 404, headers: ["A": "1", "B": "2"], url: Self.url)
    let there = try #require(HTTPURLResponse(response))
    #expect(there.statusCode == 404)
    #expect(there.url == Self.url)
    let body = Data("gone".utf8)
    let back = HTTPResponse(there, body: body)
    #expect(back == HTTPResponse(status: 404, headers: ["A": "1", "B": "2"], body: body, url: Self.url))
  }

  @Test("Fields with the same name are joined, in any letter case")
  func joined() throws {
    let response = HTTPResponse(headers: ["Vary": "a", "vary": "b"], url: Self.url)
    #expect(try #require(HTTPURLResponse(response)).value(forHTTPHeaderField: "Vary") == "a, b")
  }

  @Test("A response without a URL cannot be converted")
  func withoutURL() { #expect(HTTPURLResponse(HTTPResponse()) == nil) }
}

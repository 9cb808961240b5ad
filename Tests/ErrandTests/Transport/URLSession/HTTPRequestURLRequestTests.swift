import ErrandURLSession
import Foundation
import Testing

@testable import Errand

@Suite("Requests and URLRequest")
struct HTTPRequestURLRequestTests {
  static let url = URL(string: "https://example.com/a?b=c")!

  @Test("A request converts to a URLRequest and back")
  func roundTrip() throws {
    let request = HTTPRequest(
      url: Self.url, method: .patch, headers: ["Accept": "text/plain", "X-A": "1"],
      body: .data(Data("body".utf8)))
    let there = try #require(URLRequest(request))
    #expect(there.url == Self.url)
    #expect(there.httpMethod == "PATCH")
    #expect(there.httpBody == Data("body".utf8))
    let back = try #require(HTTPRequest(there))
    #expect(back.url == request.url)
    #expect(back.method == request.method)
    #expect(back.headers == request.headers)
    #expect(back.body.data == request.body.data)
  }

  @Test("Fields with the same name are joined with a comma and a blank, in any letter case")
  func joined() throws {
    let request = HTTPRequest(url: Self.url, headers: ["X-A": "1", "x-a": "2", "B": "3"])
    #expect(try #require(URLRequest(request)).allHTTPHeaderFields == ["X-A": "1, 2", "B": "3"])
  }

  @Test("Cookie fields are joined with a semicolon and a blank")
  func cookies() throws {
    let request = HTTPRequest(
      url: Self.url, headers: ["Cookie": "a=1", "cookie": "b=2", "X-A": "1", "x-a": "2"])
    for message in [URLRequest(request), URLRequest(background: request, over: .all)] {
      #expect(try #require(message).allHTTPHeaderFields == ["Cookie": "a=1; b=2", "X-A": "1, 2"])
    }
  }

  @Test("The type of a body is added, unless the headers have a type")
  func contentType() throws {
    var request = HTTPRequest(url: Self.url, method: .post, body: .text("a"))
    #expect(
      try #require(URLRequest(request)).value(forHTTPHeaderField: "Content-Type")
        == "text/plain; charset=utf-8")
    request.headers["content-type"] = "text/x"
    #expect(try #require(URLRequest(request)).value(forHTTPHeaderField: "Content-Type") == "text/x")
  }

  @Test("Framing fields are left out")
  func framing() throws {
    var request = URLRequest(url: Self.url)
    request.setValue("5", forHTTPHeaderField: "Content-Length")
    request.setValue("other", forHTTPHeaderField: "Host")
    request.setValue("b", forHTTPHeaderField: "A")
    #expect(try #require(HTTPRequest(request)).headers == ["A": "b"])
  }

  @Test("A request that cannot be converted is nil")
  func refused() {
    var streamed = URLRequest(url: Self.url)
    streamed.httpBodyStream = InputStream(data: Data())
    var nowhere = URLRequest(url: Self.url)
    nowhere.url = nil
    #expect(HTTPRequest(streamed) == nil)
    #expect(HTTPRequest(nowhere) == nil)
    #expect(URLRequest(HTTPRequest(url: Self.url, body: .stream(AsyncStream<Data> { $0.finish() }))) == nil)
    #expect(URLRequest(HTTPRequest(url: Self.url, body: .json(1))) == nil)
  }
}

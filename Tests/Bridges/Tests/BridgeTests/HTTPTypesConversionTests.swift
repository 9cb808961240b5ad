import Errand
import Foundation
import HTTPTypes
import Testing

@Suite("Conversions to and from swift-http-types")
struct HTTPTypesConversionTests {
  static let pairs = [("Set-Cookie", "a=1"), ("X-B", "b"), ("set-cookie", "c=2"), ("X-A", "")]
  static let headers = HTTPHeaders(pairs.map { .init(name: $0.0, value: $0.1) })

  static func texts(_ headers: HTTPHeaders) -> [String] { headers.fields.map { "\($0.name): \($0.value)" } }

  @Test("Fields keep order, repeats and the spelling of names, in both directions")
  func fields() throws {
    let fields = try HTTPFields(Self.headers)
    #expect(fields.map { "\($0.name.rawName): \($0.value)" } == Self.pairs.map { "\($0.0): \($0.1)" })
    #expect(fields[values: .setCookie] == ["a=1", "c=2"])
    #expect(Self.texts(HTTPHeaders(fields)) == Self.texts(Self.headers))
  }

  @Test(
    "A request keeps method, URL and fields there and back",
    arguments: [
      "https://api.example.com/users/7?a=b%20c", "http://[::1]:8080/", "https://example.com:8443/a%2Fb",
    ])
  func request(_ url: String) throws {
    let sent = Errand.HTTPRequest(
      url: try #require(URL(string: url)), method: "REPORT", headers: Self.headers, body: .text("x"))
    let converted = try HTTPTypes.HTTPRequest(sent)
    #expect(converted.method.rawValue == "REPORT" && converted.scheme == sent.url.scheme)
    let back = try Errand.HTTPRequest(converted, body: .text("x"))
    #expect(back.url.absoluteString == url && back.method == "REPORT" && back.body.length == 1)
    #expect(Self.texts(back.headers) == Self.texts(Self.headers))
  }

  @Test("A response keeps status, fields, body and trailers")
  func response() throws {
    let converted = try HTTPTypes.HTTPResponse(Errand.HTTPResponse(status: 299, headers: Self.headers))
    #expect(converted.status.code == 299)
    let back = Errand.HTTPResponse(converted, body: Data("x".utf8), trailers: [.eTag: "\"1\""])
    #expect(back.status == 299 && back.body == Data("x".utf8) && back.trailers["ETag"] == "\"1\"")
    #expect(Self.texts(back.headers) == Self.texts(Self.headers))
  }

  @Test("What the other side cannot represent is an error, and nothing is dropped")
  func refused() throws {
    let url = try #require(URL(string: "https://example.com"))
    for headers: HTTPHeaders in [["a b": "c"], ["A": "b\r\nc"]] {
      #expect(throws: UnconvertibleMessage.self) { try HTTPFields(headers) }
    }
    #expect(throws: UnconvertibleMessage.self) {
      try HTTPTypes.HTTPRequest(Errand.HTTPRequest(url: url, method: "GET IT"))
    }
    let relative = HTTPTypes.HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
    #expect(throws: UnconvertibleMessage.self) { try Errand.HTTPRequest(relative) }
  }
}

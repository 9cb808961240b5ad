import Foundation
import Testing

@testable import Errand

@Suite("Fields and dates of cookies")
struct CookieVectorTests {
  static let base = "http://home.example.org:8888"
  static let now = Date(timeIntervalSince1970: 1_300_000_000)

  private func sent(_ received: [String], from: String, to: String) throws -> String {
    let store = CookieStore([], file: nil)
    let (from, to) = (try #require(URL(string: from)), try #require(URL(string: to)))
    var headers = HTTPHeaders()
    for field in received { headers.add("Set-Cookie", field) }
    store.take(headers, from: from, now: Self.now)
    var answer = HTTPHeaders()
    store.add(to: &answer, for: to, CookieContext(), now: Self.now)
    return answer["Cookie"] ?? ""
  }

  @Test("The table of the working group", arguments: CookieVector.all)
  func vectors(_ vector: CookieVector) throws {
    let place = vector.place ?? "/cookie-parser-result?\(vector.name)"
    let url = place.hasPrefix("/") ? Self.base + place : place
    let sent = try sent(vector.received, from: "\(Self.base)/cookie-parser?\(vector.name)", to: url)
    #expect(sent == CookieVector.later[vector.name, default: vector.sent])
  }

  @Test("4,096 bytes are kept, and 4,097 bytes are not")
  func sizes() throws {
    let longest = "a=" + String(repeating: "a", count: 4095)
    #expect(try sent([longest], from: Self.base, to: Self.base) == longest)
    #expect(try sent([longest + "a"], from: Self.base, to: Self.base) == "")
  }
}

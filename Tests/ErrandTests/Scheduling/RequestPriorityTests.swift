import Foundation
import Testing

@testable import Errand

@Suite("The priority of a request")
struct RequestPriorityTests {
  @Test("The named priorities are ascending numbers")
  func named() {
    let all: [RequestPriority] = [.low, .default, .high, .exempt]
    #expect(all.map(\.value) == [-1, 0, 1, .infinity])
    #expect(all == all.sorted())
    #expect(all.map(\.isExempt) == [false, false, false, true])
  }

  @Test(
    "Any number is a priority, clamped to the bounds",
    arguments: [
      (0.25, 0.25), (1e6, 1e6), (1e300, 1e6), (-1e300, -1e6), (-.infinity, -1e6), (.nan, 0),
      (.infinity, .infinity),
    ])
  func numbers(_ row: (number: Double, value: Double)) {
    #expect(RequestPriority(row.number).value == row.value)
  }
}

@Suite("The number of an origin")
struct OriginNumberTests {
  private static func number(_ text: String) throws -> OriginNumber? {
    OriginNumber(of: try #require(URL(string: text)))
  }

  @Test(
    "The number is the same for all URLs of an origin",
    arguments: [
      ["http://a.example", "http://a.example/", "HTTP://A.example/b?c=http://b/", "http://a.example:80/x"],
      ["https://a.example/x", "https://a.example:443?q", "https://a.example:443", "https://a.example:/"],
      ["http://a.example:443/", "http://A.EXAMPLE:443/y"],
      ["http://[::1]:8080/", "http://[::1]:8080/z#f"],
    ])
  func sameOrigin(_ urls: [String]) throws {
    let numbers = try urls.map(Self.number)
    #expect(Set(numbers).count == 1 && numbers.first != .some(nil))
  }

  @Test("Other schemes, hosts and ports have other numbers")
  func otherOrigins() throws {
    let urls = [
      "http://a", "https://a", "http://b", "http://a:443", "https://a:80", "http://a:8", "http://a:800",
    ]
    #expect(Set(try urls.map(Self.number)).count == urls.count)
  }

  @Test(
    "A URL without an authority has no number",
    arguments: ["data:,x", "mailto:a@b", "data:text/plain;x=://y,z"])
  func none(_ text: String) throws {
    #expect(try Self.number(text) == nil)
  }
}

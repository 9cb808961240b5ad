import Foundation
import Testing

@testable import Errand

private struct Item: Decodable, Sendable {
  var id: Int
}

private struct Page: Decodable, Sendable {
  var items: [Item]
}

private struct Reply: Decodable, Sendable {
  var data: Page
  var when: Date?
}

@Suite("The clause of a decoding error") struct DecodingErrorClauseTests {
  @Test(
    "The clause has the location, the expected type and the found value",
    arguments: [
      (
        #"{"data":{"items":[{"id":1},{"id":2},{"id":3},{"id":"4"}]}}"#,
        "data.items[3].id: expected Int, found a string"
      ),
      (#"{"data":{"items":[{"id":true}]}}"#, "data.items[0].id: expected Int, found a boolean"),
      (#"{"data":{"items":[{"id":null}]}}"#, "data.items[0].id: expected Int, found null"),
      (#"{"data":{"items":[{}]}}"#, "data.items[0]: there is no \"id\""),
      (#"{"data":{"items":{}}}"#, "data.items: expected an array, found an object"),
      (#"{"data":[]}"#, "data: expected an object, found an array"),
      ("[]", "expected an object, found an array"),
      ("{}", "there is no \"data\""), (#"{"data":null}"#, "data: expected an object, found null"),
      (
        #"{"data":{"items":[]},"when":"soon"}"#, "when: \"soon\" is not an ISO 8601 date"
      ),
    ])
  func clauses(body: String, clause: String) async {
    let dispatched = RequestContext.Dispatched(id: 1, request: Probe(), tools: .init(jsonCoding: .iso8601))
    let context = RequestContext(dispatched: dispatched, attempt: 1)
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<Reply>().serialize(.of(body), context: context)
    }
    #expect(error?.clause == clause)
  }

  @Test("The clause has the key path")
  func keyPath() async {
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<[Item]>(keyPath: "data.items")
        .serialize(.of(#"{"data":{"items":[{"id":1},{"id":"2"}]}}"#), context: .test())
    }
    #expect(error?.clause == "data.items[1].id: expected Int, found a string")
  }

  @Test(
    "The clause has the location of the first number outside of its type's range",
    arguments: [
      (#"{"id":1.5}"#, "id"), (#"{"id":99999999999999999999}"#, "id"), (#"{"a":"[1","id":1.5}"#, "id"),
    ])
  func number(body: String, place: String) async {
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<Item>().serialize(.of(body), context: .test())
    }
    let clauses = [
      "\(place): the number does not fit Int", "\(place): Number 1.5 is not representable in Swift",
    ]
    #expect(clauses.contains(error?.clause ?? ""))
  }

  @Test("The clause has the location at any depth, among other numbers")
  func places() async {
    func clause<Value: Decodable & Sendable>(_: Value.Type, _ body: String) async -> String? {
      let error = await #expect(throws: DecodingError.self) {
        try await JSONResponse<Value>().serialize(.of(body), context: .test())
      }
      return error?.clause
    }
    let clauses = [
      await clause([UInt8].self, "[1, -2, 300]"),
      await clause([[String: Int8]].self, #"[{"a": 1}, {"b": 2, "}\"": -129}]"#),
      await clause([String: [String: Double]].self, #"{"a": {"b": 1e3}, "c": {"d": 1, "e": -1e999}}"#),
      await clause(UInt8.self, "300"),
    ]
    let text = "the number does not fit"
    #expect(
      clauses == ["[1]: \(text) UInt8", #"[1].}": \#(text) Int8"#, "c.e: \(text) Double", "\(text) UInt8"])
  }

  @Test("The clause has the reason why a body is invalid JSON")
  func notJSON() async {
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<Item>().serialize(.of("<html>"), context: .test())
    }
    #expect(error?.clause == "the body is not JSON: unexpected '<' at line 1, column 1")
  }
}

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
    "says where, what was expected and what was found",
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
    var configuration = RequestAgent.Configuration()
    configuration.setJSONDates(.iso8601)
    let dispatched = RequestContext.Dispatched(id: 1, request: Probe(), tools: .init(configuration))
    let context = RequestContext(dispatched: dispatched, attempt: 1)
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<Reply>().serialize(.of(body), context: context)
    }
    #expect(error?.clause == clause)
  }

  @Test("has the key path in it")
  func keyPath() async {
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<[Item]>(keyPath: "data.items")
        .serialize(.of(#"{"data":{"items":[{"id":1},{"id":"2"}]}}"#), context: .test())
    }
    #expect(error?.clause == "data.items[1].id: expected Int, found a string")
  }

  @Test("says where it can that a number does not fit its type")
  func numbers() async {
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<Item>().serialize(.of(#"{"id":1.5}"#), context: .test())
    }
    let clauses = ["a number does not fit its type", "id: Number 1.5 is not representable in Swift"]
    #expect(clauses.contains(error?.clause ?? ""))
  }

  @Test("says why a body is no JSON")
  func notJSON() async {
    let error = await #expect(throws: DecodingError.self) {
      try await JSONResponse<Item>().serialize(.of("<html>"), context: .test())
    }
    #expect(error?.clause == "the body is not JSON: unexpected '<' at offset 0")
  }
}

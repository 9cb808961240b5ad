import Errand
import ErrandMocks
import Testing

@Suite("JSON literals in a stub match in any order")
struct JSONBodyOrderTests {
  static let body = #"{"tags":["a","b",{"n":[1,2]}],"name":"Ada"}"#

  static let rows: [(Stub, String?)] = {
    let stub = Stub(.post, "/a")
    return [
      (stub.jsonBody(["name": "Ada"]), nil),
      (stub.jsonBody(["tags": ["a", "b", ["n": [1, 2.0]]]]), nil),
      (stub.jsonBody(["name": nil]), #"body at name is "Ada", not null"#),
      (stub.exactJSONBody(["name": "Ada", "tags": ["a", "b", ["n": [1, 2]]]]), nil),
      (
        stub.exactJSONBody(["name": "Ada"]),
        #"body at tags is ["a","b",{"n":[1,2]}], not missing"#
      ),
      (
        stub.jsonBody(#"{"tags":["b","a",{"n":[2,1]}]}"#),
        #"body at tags[0] is "a", not "b"; body at tags[1] is "b", not "a""#
          + #"; body at tags[2].n[0] is 1, not 2"#
      ),
      (stub.jsonBody(#"{"tags":[{"n":[2,1]},"b","a"]}"#, ignoringOrder: true), nil),
      (stub.exactJSONBody(["tags": [["n": [2, 1]], "b", "a"], "name": "Ada"], ignoringOrder: true), nil),
      (
        stub.exactJSONBody(["tags": [["n": [2, 1]], "b", "a"]], ignoringOrder: true),
        #"body at name is "Ada", not missing"#
      ),
      (
        stub.jsonBody(["tags": ["a", "a", ["n": [1, 2]]]], ignoringOrder: true),
        #"body at tags is ["a","b",{"n":[1,2]}], not ["a","a",{"n":[1,2]}] in any order"#
      ),
      (
        stub.jsonBody(["tags": ["a", "b"]], ignoringOrder: true),
        #"body at tags is ["a","b",{"n":[1,2]}], not ["a","b"] in any order"#
      ),
    ]
  }()

  @Test("The difference is named", arguments: rows.indices)
  func differences(_ index: Int) async throws {
    let (stub, difference) = Self.rows[index]
    let transport = MockTransport(stub)
    guard let difference else {
      try await transport.exchange(.post, "https://h/a", body: .text(Self.body))
      return
    }
    let message = try await transport.refusal(of: .post, "https://h/a", body: .text(Self.body))
    #expect(message.split(separator: "\n").last == "1. \(stub): \(difference)")
  }
}

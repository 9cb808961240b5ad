import Foundation
import Testing

@testable import Errand

@Suite("One-off requests")
struct OneOffRequestTests {
  struct User: Codable, Sendable, Equatable { var id: Int }

  private func readsJSON<R: Request>(_ request: R) -> Bool {
    (request.responseSerializer as? StandardSerializer<R.Response>)?.jsonSettings != nil
  }

  /// The parameter has the same type as in `RequestAgent.send`.
  private func take<R: Request>(_ request: R) -> R { request }

  @Test("A GET has a path, a query, headers and the type of its value")
  func get() {
    let request = take(.get("users/7", query: ["page": 1], headers: ["X": "1"], as: User.self))
    #expect(request.path == "users/7" && request.method == .get && request.headers == ["X": "1"])
    #expect(request.query == ["page": 1] && request.parameters.isEmpty)
    #expect(readsJSON(request))
  }

  @Test("Data returns bytes, String returns text, and any other type is decoded from JSON")
  func serializers() {
    #expect(!readsJSON(take(.get("x", as: Data.self))))
    #expect(!readsJSON(take(.get("x", as: String.self))))
    #expect(readsJSON(take(.get("x", as: [User].self))))
    #expect(readsJSON(take(.get("x", as: String?.self))))
    #expect(!readsJSON(take(.get("x"))))
    #expect(take(.head("x")).responseSerializer is StandardSerializer<HTTPResponse>)
  }

  @Test("A DELETE has parameters, and its response is dropped or decoded")
  func delete() {
    let dropped = take(.delete("users/7", parameters: ["force": true]))
    #expect(dropped.method == .delete && dropped.parameters == ["force": true])
    #expect(readsJSON(take(.delete("users/7", as: User.self))))
  }

  @Test("POST, PUT and PATCH take parameters")
  func parameters() {
    let typed = [
      take(.post("u", parameters: ["a": 1], serializer: .json, as: User.self)),
      take(.put("u", parameters: ["a": 1], serializer: .json, as: User.self)),
      take(.patch("u", parameters: ["a": 1], serializer: .json, as: User.self)),
    ]
    #expect(typed.map(\.method) == [.post, .put, .patch])
    #expect(typed.allSatisfy { $0.parameters == ["a": 1] && $0.body.description == "automatic" })
    #expect(typed.allSatisfy { $0.requestSerializer.contentType == "application/json" })
    let dropped = [
      take(.post("u", parameters: ["a": 1])), take(.put("u", parameters: ["a": 1])),
      take(.patch("u", parameters: ["a": 1])),
    ]
    #expect(dropped.map(\.method) == [.post, .put, .patch])
    #expect(dropped.allSatisfy { $0.requestSerializer.contentType == "application/x-www-form-urlencoded" })
  }

  @Test("POST, PUT and PATCH take a value as JSON")
  func json() throws {
    let typed = [
      take(.post("u", body: .json(User(id: 7)), as: User.self)),
      take(.put("u", body: .json(User(id: 7)), as: User.self)),
      take(.patch("u", body: .json(User(id: 7)), as: User.self)),
    ]
    let dropped = [
      take(.post("u", body: .json(User(id: 7)))), take(.put("u", body: .json(User(id: 7)))),
      take(.patch("u", body: .json(User(id: 7)))),
    ]
    #expect(typed.map(\.method) == [.post, .put, .patch] && dropped.map(\.method) == [.post, .put, .patch])
    for body in typed.map(\.body) + dropped.map(\.body) {
      #expect(try body.prepared(by: { JSONCoding() }).data == Data(#"{"id":7}"#.utf8))
    }
  }

  @Test("Any kind of body can have a query")
  func body() {
    let request = take(.post("u", query: ["a": 1], body: .text("hi"), as: String.self))
    #expect(request.body.data == Data("hi".utf8) && request.query == ["a": 1])
  }

  @Test("The initializer takes any method and any serializer")
  func initializer() {
    let request = OneOffRequest("u", method: "PURGE", response: .response)
    #expect(request.method == "PURGE" && request.responseSerializer is StandardSerializer<HTTPResponse>)
  }
}

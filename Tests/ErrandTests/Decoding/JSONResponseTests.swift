import Foundation
import Testing

@testable import Errand

private struct User: Decodable, Sendable, Equatable {
  var id: Int
  var firstName: String?
}

@Suite("The value of a JSON body") struct JSONResponseTests {
  func value<Value: Decodable & Sendable>(
    _ body: String, _ serializer: any ResponseSerializer<Value>, _ context: RequestContext = .test()
  ) async throws -> Value {
    try await serializer.serialize(.of(body), context: context)
  }

  @Test("The value is decoded by the given decoder, otherwise the request's, otherwise the agent's")
  func decoders() async throws {
    let snake = JSONDecoder()
    snake.keyDecodingStrategy = .convertFromSnakeCase
    let body = #"{"id":1,"first_name":"Ann"}"#
    let named = User(id: 1, firstName: "Ann")
    #expect(try await value(body, .json()) == User(id: 1))
    #expect(try await value(body, .json(decoder: snake)) == named)
    #expect(try await value(body, .json(), .test(Probe(jsonDecoder: snake))) == named)
    #expect(
      try await value(body, .json(decoder: JSONDecoder()), .test(Probe(jsonDecoder: snake))) == User(id: 1))
  }

  @Test("The request accepts application/json")
  func accept() {
    let serializer: any ResponseSerializer<User> = .json(keyPath: "data")
    #expect(serializer.accept == "application/json")
  }

  @Test(
    "An empty body is nil for an optional value, and refused otherwise", arguments: ["", " ", "\r\n\t "])
  func empty(body: String) async throws {
    #expect(try await value(body, .json()) as User? == nil)
    #expect(try await value(body, .json(keyPath: "data.items")) as [User]? == nil)
    await #expect(throws: Refusal("the body is empty", kind: .decoding)) {
      try await value(body, .json()) as User
    }
    await #expect(throws: Refusal("the body is empty", kind: .decoding)) {
      try await value(body, .json(keyPath: "data")) as [User]
    }
  }

  @Test("The value is found at a key path of names and indices")
  func keyPaths() async throws {
    let body = #"{"data":{"items":[{"id":1},null,{"id":3}],"when":0,"none":null,"7":{"id":7}}}"#
    #expect(try await value(body, .json(keyPath: "data.items.2")) == User(id: 3))
    #expect(try await value(body, .json(keyPath: "data.items.0.id")) == 1)
    #expect(try await value(body, .json(keyPath: "data.items")) == [User(id: 1), nil, User(id: 3)])
    #expect(try await value(body, .json(keyPath: "data.none")) as User? == nil)
    #expect(try await value(body, .json(keyPath: "data.items.1")) as User? == nil)
    #expect(try await value(body, .json(keyPath: "data.when")) == Date(timeIntervalSinceReferenceDate: 0))
    #expect(try await value(body, .json(keyPath: "data.7")) == User(id: 7))
    #expect(try await value(#"[{"id":4}]"#, .json(keyPath: "0")) == User(id: 4))
    #expect(try await value(#"[{"id":4}]"#, .json(keyPath: "")) == [User(id: 4)])
  }

  @Test("The key path uses the server's names, even if the decoder converts names")
  func snakeCase() async throws {
    let snake = JSONDecoder()
    snake.keyDecodingStrategy = .convertFromSnakeCase
    let body = #"{"user_data":{"first_items":[{"id":1,"first_name":"Ann"}]}}"#
    for path in ["user_data.first_items.0", "userData.firstItems.0"] {
      let user: User = try await value(body, .json(keyPath: path, decoder: snake))
      #expect(user == User(id: 1, firstName: "Ann"))
    }
  }

  @Test("The key path finds names with leading and trailing underscores, which a converting decoder keeps")
  func underscores() async throws {
    let snake = JSONDecoder()
    snake.keyDecodingStrategy = .convertFromSnakeCase
    let names = ["_user_items", "__a_b__", "User", "URL_list", "_", "a__b", "_id"]
    for name in names {
      #expect(try await value(#"{"\#(name)":7}"#, .json(keyPath: name, decoder: snake)) == 7, "\(name)")
    }
    await #expect(throws: Refusal("there is no \"User\" in the body", kind: .decoding)) {
      try await value(#"{"user":7}"#, .json(keyPath: "User")) as Int
    }
  }

  @Test(
    "A key path without a value is refused, naming the missing part",
    arguments: [
      ("data.items", #"{"data":{}}"#, "there is no \"items\" in \"data\""),
      ("data.items", "{}", "there is no \"data\" in the body"),
      ("data.items.3", #"{"data":{"items":[1]}}"#, "there is no \"3\" in \"data.items\""),
      ("data.items.-1", #"{"data":{"items":[1]}}"#, "there is no \"-1\" in \"data.items\""),
      ("data.items.x", #"{"data":{"items":[1]}}"#, "there is no \"x\" in \"data.items\""),
      ("data.items", #"{"data":null}"#, "there is no \"items\" in \"data\""),
      ("data", "7", "there is no \"data\" in the body"),
      ("99999999999999999999", "[1]", "there is no \"99999999999999999999\" in the body"),
    ])
  func missing(path: String, body: String, message: String) async {
    await #expect(throws: Refusal(message, kind: .decoding)) {
      try await value(body, .json(keyPath: path)) as User?
    }
  }

  @Test("A decoder shared by many dispatches stays unchanged")
  func shared() async throws {
    let decoder = JSONDecoder()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let path = "k\(index).0"
          return try await value("{\"k\(index)\":[\(index)]}", .json(keyPath: path, decoder: decoder))
            == index
        }
      }
      for try await right in group { #expect(right) }
    }
    #expect(decoder.userInfo.isEmpty)
  }
}

import Errand
import ErrandMocks
import Foundation
import TestSupport
import Testing

struct Signer: RequestHooks {
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    if context.request is any AppRequest { request.headers["Authorization"] = "Bearer x" }
  }
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> { outcome }
}

/// An app's own transport, written with public declarations only.
struct Wire: Transport {
  var capabilities: TransportCapabilities { TransportCapabilities(contentCodings: ["gzip"]) }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var count = 0
    switch request.request.body.content {
    case .none: break
    case .data(let data): count = data.count
    case .stream(let chunks, _): for try await chunk in chunks { count += chunk.count }
    }
    return TransportResponse(head: HTTPResponse(), body: BodyStream(Data("\(count) bytes".utf8)))
  }
}

let literal: Parameters = [
  "a": 1, "b": .list(1, 2.5, "x", nil, true), "c": .object(["d": true, "e": .object(["f": nil])]), "g": nil,
  "h": -1.5, "j": [1, 2],
]

@Suite("A consumer in plain Swift 6 mode")
struct PlainConsumerTests {
  let agent = RequestAgent.forConsumers(hooks: [Signer()])

  @Test("Every kind of endpoint can be declared and dispatched")
  func endpoints() async throws {
    let ada = User(id: 7, name: "Ada")
    #expect(try await agent.send(GetUser(id: 7)) == ada)
    #expect(try await agent.send(Maybe()) == nil)
    #expect(try await agent.send(UserAPI.search("x")) == [ada])
    #expect(try await agent.send(UserAPI.list).count == 1)
    let raw: Data = try await agent.send(Raw())
    #expect(raw == Data([1, 2, 3]))
    #expect(try await agent.send(Text(path: "a")) == "text")
    try await agent.send(Fire())
    #expect(try await agent.send(GetPage<User>(page: 1)).items.first?.id == 7)
    #expect(try await agent.send(Get<[User]>(path: "users")).count == 1)
    let login = try await agent.response(for: Login(name: "n"))
    #expect(login.value.token == "t")
    #expect(login.response.status == 200)
    #expect(try await agent.send(Custom()) == User(id: 1, name: "a"))
    #expect(try await agent.send(GetPoint()).x == 5)
    #expect(try await agent.send(Head()).status == 204)
    #expect(try await agent.send(Inferred()).id == 7)
    #expect(try await agent.send(Inferred2().with(\.path, "v1/users")).count == 1)
  }

  @Test("Requests may be erased, with and without their response type")
  func erased() async throws {
    let requests: [any Request] = [GetUser(id: 7), Fire()]
    for request in requests { _ = try await agent.send(request) }
    let user: any Request<User> = GetUser(id: 7)
    #expect(try await agent.send(user).id == 7)
  }

  @Test("Quick calls need no type")
  func oneOff() async throws {
    #expect(try await agent.send(.get("users/7", as: User.self)).name == "Ada")
    #expect(try await agent.send(.get("v1/a", as: String.self)) == "text")
    #expect(
      try await agent.send(.post("v1/login", body: .json(["name": "n"]), as: Login.Response.self)).token
        == "t")
    try await agent.send(.delete("v1"))
  }

  @Test("A started request has a handle, a completion on a queue, and can be cancelled")
  func started() async throws {
    let handle = agent.start(GetUser(id: 7), on: .global()) { outcome in
      switch outcome {
      case .success, .failure, .cancelled: break
      }
    }
    #expect(try await handle.value.id == 7)
    #expect(handle.outcome?.value != nil)
    handle.cancel()
    agent.start(Fire())
    agent.cancelAll()
  }

  @Test("Any request can be streamed")
  func streamed() async throws {
    let response = try await agent.stream(Raw())
    var bytes: [UInt8] = []
    for try await chunk in response.body { bytes += chunk }
    #expect(bytes == [1, 2, 3] && response.head.status == 200)
    #expect(response.report?.attempts.first?.bodyLength == 3)
    var chunks = try await agent.stream(.get("v1/a")).body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("text".utf8))
  }

  @Test("Requests are sent together, in sequence, and as custom groups")
  func groups() async throws {
    let (user, text, _) = try await agent.sendTogether(GetUser(id: 7), Text(path: "a"), Fire())
    #expect(user.id == 7 && text == "text")
    if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
      var batch = BatchRequest(GetUser(id: 7), Text(path: "a"), Fire())
      batch.stopsOnFailure = false
      let (a, b, _) = try await agent.send(batch)
      #expect(a.id + b.count == 11)
      let (c, d, e) = try await agent.send(batch.outcomes)
      #expect(c.value?.id == 7 && d.value == "text" && !e.isCancelled)
    }
    #expect(try await agent.sendTogether([GetUser(id: 7), GetUser(id: 7)], width: 1).count == 2)
    let chain = ChainRequest(Login(name: "n")).onSuccess { print($0.token.count) }
      .then { login in Text(path: login.token.isEmpty ? "b" : "a") }
    #expect(try await agent.send(chain) == "text")
    let handle = agent.start(Both(), on: .global()) { outcome in _ = outcome.value }
    #expect(try await handle.value == 11)
    #expect(handle.report?.members.count == 2 && handle.progress.current.completed == 2)
  }

  struct Both: RequestGroup {
    func results(in run: GroupRun) async throws -> Int {
      async let user = run.send(GetUser(id: 7))
      async let text = run.send(Text(path: "a"))
      return try await user.id + text.count
    }
  }

  @Test("Pages and their items are sequences")
  func pages() async throws {
    var names: [String] = []
    for try await user in agent.pages(of: Linked()).items { names.append(user.name) }
    for try await user in agent.pages(of: Cursored().with(\.timeout, .seconds(1))).items(\.items) {
      names.append(user.name)
    }
    for try await users in agent.pages(of: UserAPI.list, by: .link) { names += users.map(\.name) }
    #expect(names == ["Ada", "Ada", "Ada", "Ada"])
  }

  @Test("A custom transport only needs public declarations")
  func ownTransport() async throws {
    let agent = RequestAgent(baseURL: "https://api.example.com", transport: Wire())
    #expect(try await agent.send(.post("x", body: .text("four"), as: String.self)) == "4 bytes")
    #expect(literal.keys == ["a", "b", "c", "h", "j"])
  }

  @Test("All errors are caught as a single type")
  func errors() async throws {
    do {
      _ = try await agent.send(GetUser(id: 8))
      Issue.record("no stub answers this")
    } catch let error as RequestError {
      #expect(error.kind == .unmatchedStub)
    }
  }
}

import Errand
import ErrandMocks
import Foundation
import TestSupport
import Testing

struct Spinner: Accessory {
  let log: Log
  @MainActor func requestWillStart(_ context: RequestContext) {
    MainActor.assertIsolated()
    log.add("spinner")
  }
}

@MainActor final class Badge: Accessory {
  var running = 0
  var started = 0
  @MainActor func requestWillStart(_ context: RequestContext) async {
    running += 1
    started += 1
  }
  @MainActor func requestDidStop(_ report: ExchangeReport, context: RequestContext) { running -= 1 }
}

struct Signer: RequestHooks {
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    request.headers["Authorization"] = "x"
    if context.request is any AppRequest { request.headers["X-House"] = "1" }
  }
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> { outcome }
}

/// A typical view model of an app.
@MainActor final class Model {
  var user: User?
  var text = ""
  let log = Log()
  let badge = Badge()
  let agent: RequestAgent

  init() {
    agent = .forConsumers(hooks: [Signer()], accessories: [Spinner(log: log), badge])
  }

  func load() async throws {
    user = try await agent.send(GetUser(id: 7))
    text = try await agent.send(Text(path: "a"))
    _ = try await agent.send(UserAPI.search("x")).count
    let raw: Data = try await agent.send(Raw())
    text += "\(raw.count)"
    try await agent.send(Fire())
    _ = try await agent.send(GetPage<User>(page: 1)).items.first?.id
    _ = try await agent.send(Get<[User]>(path: "users")).count
    _ = try await agent.response(for: Login(name: "n")).value.token
    _ = try await agent.send(GetPoint()).x
    _ = try await agent.send(Head()).status
    _ = try await agent.send(Inferred()).id
    _ = try await agent.send(Inferred2()).count
  }
}

@MainActor final class Meter: GroupAccessory {
  var completed = 0
  var isEnded = false
  @MainActor func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async {
    completed += 1
  }
  @MainActor func groupDidStop(_ report: GroupReport, context: GroupContext) async { isEnded = true }
}

nonisolated struct Both: RequestGroup {
  func results(in run: GroupRun) async throws -> Int {
    async let user = run.send(GetUser(id: 7))
    async let text = run.send(Text(path: "a"))
    return try await user.id + text.count
  }
}

/// A list that loads the next page while the user scrolls.
final class UserList {
  var users: [User] = []
  var isComplete = false
  private let pages: Pages<Linked>.Iterator

  init(agent: RequestAgent) { pages = agent.pages(of: Linked()).makeAsyncIterator() }

  func more() async throws {
    guard let page = try await pages.next() else {
      isComplete = true
      return
    }
    users += page
  }
}

@Suite("A consumer with MainActor default isolation")
struct MainActorConsumerTests {
  @Test("A view model loads, and its accessories get balanced events on the main actor")
  func model() async throws {
    let model = Model()
    try await model.load()
    #expect(model.user == User(id: 7, name: "Ada"))
    #expect(model.text == "text3")
    #expect(model.badge.started == 12)
    #expect(model.badge.running == 0)
    #expect(model.log.all.count == 12)
  }

  @Test("A completion sets main-actor state without an explicit hop")
  func completion() async throws {
    let model = Model()
    let handle = model.agent.start(Maybe()) { outcome in
      switch outcome {
      case .success(let user): model.user = user
      case .failure(let error): model.text = "\(error)"
      case .cancelled: break
      }
      model.text = "done"
    }
    _ = try await handle.value
    #expect(model.text == "done")
  }

  @Test("A stream is read on the main actor, chunk by chunk")
  func streamed() async throws {
    let model = Model()
    let response = try await model.agent.stream(Raw())
    for try await chunk in response.body {
      MainActor.assertIsolated()
      model.text += "\(chunk.count)"
    }
    #expect(model.text == "3" && response.report?.attempts.count == 1)
    var chunks = try await model.agent.stream(Raw()).body.makeAsyncIterator()
    model.text += "\(try await chunks.next()?.count ?? 0)"
    #expect(try await chunks.next() == nil && model.text == "33")
  }

  @Test("Groups are sent from the main actor, and their accessories run there")
  func groups() async throws {
    let model = Model()
    let meter = Meter()
    let (user, text, _) = try await model.agent.sendTogether(GetUser(id: 7), Text(path: "a"), Fire())
    model.user = user
    model.text = text
    if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
      var batch = BatchRequest(GetUser(id: 7), Text(path: "a"))
      batch.accessories = [meter]
      let (a, b) = try await model.agent.send(batch)
      #expect(a.id + b.count == 11 && meter.completed == 2 && meter.isEnded)
      let (c, d) = try await model.agent.send(batch.outcomes)
      #expect(c.value?.id == 7 && d.value == "text")
    }
    let chain = ChainRequest(Login(name: "n"))
      .onSuccess { @MainActor login in model.text += login.token }
      .then { login in Text(path: login.token.isEmpty ? "b" : "a") }
    let handle = model.agent.start(chain) { outcome in model.text += outcome.value ?? "" }
    _ = try await handle.value
    #expect(model.text == "textttext")
    var sum = 0
    for await progress in handle.progress { sum += progress.completed }
    #expect(sum == 2)
    #expect(try await model.agent.send(Both()) == 11)
  }

  @Test("A view model fetches page after page")
  func pages() async throws {
    let list = UserList(agent: Model().agent)
    try await list.more()
    #expect(list.users.count == 1 && !list.isComplete)
    try await list.more()
    try await list.more()
    #expect(list.users.count == 2 && list.isComplete)
    for try await user in Model().agent.pages(of: Cursored()).items(\.items) {
      MainActor.assertIsolated()
      list.users.append(user)
    }
    for try await users in Model().agent.pages(of: UserAPI.list, by: .pageNumber(size: 2)) {
      list.users += users
    }
    #expect(list.users.count == 4)
  }

  @Test("A hook marked for the main actor runs there")
  func onMain() async throws {
    let log = Log()
    #expect(try await Model().agent.send(OnMain(seen: log)) == nil)
    #expect(log.all == ["filterRequest", "completed"])
  }

  @Test("Decoding and unmarked hooks run off the main actor")
  func offMain() async throws {
    let serializer = WhereSerializer()
    struct Where: AppRequest {
      typealias Response = Bool
      let path = "a"
      let serializer: WhereSerializer
      var responseSerializer: any ResponseSerializer<Bool> { serializer }
    }
    #expect(try await Model().agent.send(Where(serializer: serializer)) == false)
  }

  struct AddNote: Request {
    typealias Response = Void
    static let domainProperties: Set<String> = ["comment"]
    let comment = 5
    let tag = "a"
    let path = "notes"
  }

  /// A main-actor object whose properties may change at any time.
  @MainActor final class Draft: Request {
    typealias Response = Void
    var tag = "a"
    nonisolated var path: String { "notes" }
  }

  @Test(
    "Unused properties are listed, but neither declared domain properties nor properties of a main-actor object"
  )
  func unusedProperties() async throws {
    let clause = "`tag` is String; `Request.tag` is Int"
    let agent = RequestAgent.mocked()
    #expect(try await agent.explain(AddNote()).unusedProperties == [clause])
    #expect(try await agent.explain(Draft()).unusedProperties == [])
  }
}

/// Returns whether the serializer ran on the main queue.
struct WhereSerializer: ResponseSerializer {
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Bool {
    isOnMainQueue()
  }
}

import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Pages of a request", .timeLimit(.minutes(5)))
struct PagesTests {
  struct Page: Codable, Sendable, Equatable {
    var items: [Int]
    var next: String?
    var total: Int?
  }

  struct Get: PaginatedRequest {
    typealias Response = Page
    var path = "items"
    var pagination: Pagination<Page>
    var method = HTTPMethod.get
    var parameters: Parameters = [:]
    var query: Parameters = [:]
    var requestSerializer: RequestSerializer = .form
    var retryPolicy = RetryPolicy.none
  }

  /// The last response repeats.
  static func answering(_ answers: MockAnswer...) -> MockTransport {
    MockTransport { answers[min($0.number, answers.count) - 1] }
  }

  static func page(_ items: Int..., next: String? = nil, total: Int? = nil) throws -> MockAnswer {
    try .json(Page(items: items, next: next, total: total))
  }

  func walk(_ transport: MockTransport, _ request: Get) async throws -> [[Int]] {
    var pages: [[Int]] = []
    for try await page in RequestAgent.mocked(by: transport).pages(of: request) { pages.append(page.items) }
    return pages
  }

  @Test("Relative and absolute links are followed until a page has no link")
  func links() async throws {
    let transport = try Self.answering(
      Self.page(1, 2).header("Link", #"<?page=2>; rel="next", <?page=9>; rel="last""#),
      Self.page(3).header("Link", "<https://mocked.example/other/3?x=%20>; rel=next"), Self.page(4))
    #expect(try await walk(transport, Get(pagination: .link, query: ["size": 2])) == [[1, 2], [3], [4]])
    #expect(transport.requests.map(\.target) == ["/items?size=2", "/items?page=2", "/other/3?x=%20"])
  }

  @Test("URLs in the pages are followed, and nil and empty text end the walk")
  func urls() async throws {
    let transport = try Self.answering(Self.page(1, next: "items/b"), Self.page(2, next: ""))
    #expect(try await walk(transport, Get(path: "v1/a", pagination: .nextURL(\.next))) == [[1], [2]])
    #expect(transport.requests.map(\.target) == ["/v1/a", "/v1/items/b"])
  }

  @Test("A cursor is encoded as a query value, until a page has no cursor")
  func cursor() async throws {
    let transport = try Self.answering(
      Self.page(1, next: "a=&b"), Self.page(2, next: "c"), Self.page(3, next: ""))
    let request = Get(pagination: .cursor("after", \.next), query: ["q": "x"])
    #expect(try await walk(transport, request) == [[1], [2], [3]])
    #expect(
      transport.requests.map(\.target) == ["/items?q=x", "/items?q=x&after=a%3D%26b", "/items?q=x&after=c"])
  }

  @Test("An existing value of the request is replaced in place, also in a body")
  func replaced() async throws {
    let transport = try Self.answering(Self.page(1, next: "b"), Self.page(2))
    let request = Get(
      pagination: .cursor("after", \.next), method: .post, parameters: ["after": "a", "q": "x"],
      requestSerializer: .json)
    #expect(try await walk(transport, request) == [[1], [2]])
    #expect(transport.requests.map(\.target) == ["/items", "/items"])
    #expect(transport.requests.map(\.text) == [#"{"after":"a","q":"x"}"#, #"{"after":"b","q":"x"}"#])
  }

  @Test("A link replaces the query of a GET, and keeps the body of a POST")
  func linkedBody() async throws {
    for (method, bodies) in [(HTTPMethod.get, ["", ""]), (.post, ["q=x", "q=x"])] {
      let transport = try Self.answering(Self.page(1).header("Link", "<?p=2>; rel=next"), Self.page(2))
      _ = try await walk(transport, Get(pagination: .link, method: method, parameters: ["q": "x"]))
      #expect(transport.requests.last?.target == "/items?p=2" && transport.requests.map(\.text) == bodies)
      #expect(transport.requests.allSatisfy { $0.method == method })
    }
  }

  @Test("A walk by offset ends with a short page")
  func offset() async throws {
    let transport = try Self.answering(Self.page(1, 2), Self.page(3, 4), Self.page(5))
    let request = Get(pagination: .offset(size: 2, count: \.items.count))
    #expect(try await walk(transport, request) == [[1, 2], [3, 4], [5]])
    #expect(
      transport.requests.map(\.query) == ["offset=0&limit=2", "offset=2&limit=2", "offset=4&limit=2"])
  }

  @Test("A walk by offset ends with an empty page, or at the total with pages smaller than requested")
  func offsetTotal() async throws {
    let empty = try Self.answering(Self.page(1, 2), Self.page())
    let request = Get(
      pagination: .offset("skip", limit: "top", size: 2, count: \.items.count, total: \.total))
    #expect(try await walk(empty, request) == [[1, 2], []])
    let capped = try Self.answering(Self.page(1, total: 3), Self.page(2, total: 3), Self.page(3, total: 3))
    #expect(try await walk(capped, request) == [[1], [2], [3]])
    #expect(capped.requests.map(\.query) == ["skip=0&top=2", "skip=1&top=2", "skip=2&top=2"])
  }

  @Test("Invalid counts of a server end the walk without a crash", arguments: [Int.max, Int.min, 0, -1])
  func madeUp(_ count: Int) async throws {
    let transport = try Self.answering(Self.page(1))
    let counts = Locked([1, count])
    let request = Get(
      pagination: .offset(
        size: 1, count: { _ in counts.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } },
        total: { _ in .max }))
    #expect(try await walk(transport, request) == [[1], [1]])
    let number = Get(pagination: .pageNumber(from: .max, count: { _ in 1 }))
    #expect(try await walk(transport, number) == [[1]])
  }

  @Test("A walk by page number starts at the given number, and ends with an empty, short or last page")
  func pageNumber() async throws {
    let empty = try Self.answering(Self.page(1), Self.page(2, 3), Self.page())
    #expect(try await walk(empty, Get(pagination: .pageNumber(count: \.items.count))).count == 3)
    #expect(empty.requests.map(\.query) == ["page=1", "page=2", "page=3"])
    let short = try Self.answering(Self.page(1, 2), Self.page(3))
    let sized = Get(pagination: .pageNumber("p", from: 0, size: 2, sizeName: "n", count: \.items.count))
    #expect(try await walk(short, sized).count == 2)
    #expect(short.requests.map(\.query) == ["p=0&n=2", "p=1&n=2"])
    let told = try Self.answering(Self.page(1, total: 2))
    let counted = Get(pagination: .pageNumber(size: 5, count: \.items.count, pageCount: \.total))
    #expect(try await walk(told, counted).count == 2)
  }

  @Test("A custom closure gets the whole response, and its error is the walk's error")
  func custom() async throws {
    let transport = try Self.answering(
      Self.page(1).header("X-Next", "7"), Self.page(2).header("X-Next", "no"))
    let own = Pagination<Page>(first: ["from": 0]) { page in
      guard let next = page.response.headers["X-Next"].flatMap(Int.init) else {
        throw ProbeError(stage: "own")
      }
      return .query(["from": next])
    }
    let pages = RequestAgent.mocked(by: transport).pages(of: Get(pagination: own)).makeAsyncIterator()
    #expect(try await pages.next()?.items == [1])
    #expect(try await pages.next()?.items == [2])
    let error = try await #require(throws: RequestError.self) { try await pages.next() }
    #expect(error.kind == .pagination && error.cause(as: ProbeError.self)?.stage == "own")
    #expect(try await pages.next() == nil)
    #expect(transport.requests.map(\.query) == ["from=0", "from=7"])
  }

  @Test("The next page is fetched on demand, and iterators are independent")
  func lazy() async throws {
    let transport = MockTransport { request in
      let page = request.query == nil ? 1 : 2
      return try Self.page(page, next: page == 1 ? "b" : nil)
    }
    let pages = RequestAgent.mocked(by: transport).pages(of: Get(pagination: .cursor("c", \.next)))
    let (first, second) = (pages.makeAsyncIterator(), pages.makeAsyncIterator())
    #expect(transport.requests.isEmpty)
    #expect(try await first.next()?.items == [1])
    #expect(transport.requests.count == 1)
    #expect(try await second.next()?.items == [1])
    #expect(try await first.next()?.items == [2])
    #expect(try await first.next() == nil)
    #expect(try await first.next() == nil)
    #expect(try await second.next()?.items == [2])
    #expect(transport.requests.count == 4)
    for try await _ in pages.prefix(1) {}
    #expect(transport.requests.count == 5)
  }

  @Test("The items of all pages are a sequence, including empty pages, and fetch no sooner than needed")
  func items() async throws {
    let transport = try Self.answering(
      Self.page(1, 2, next: "b"), Self.page(next: "c"), Self.page(3, next: "d"), Self.page(4))
    let agent = RequestAgent.mocked(by: transport)
    var items = agent.pages(of: Get(pagination: .cursor("c", \.next))).items(\.items).makeAsyncIterator()
    var seen: [Int] = []
    var sent: [Int] = []
    while let item = try await items.next() {
      seen.append(item)
      sent.append(transport.requests.count)
    }
    #expect(seen == [1, 2, 3, 4] && sent == [1, 1, 3, 4])
    let own = RequestAgent.mocked(Stub(.get, "/users", answers: .json("[5,6]")))
    var numbers: [Int] = []
    let users = own.pages(of: .get("users", as: [Int].self), by: .pageNumber(size: 3))
    for try await number in users.items({ $0 }) { numbers.append(number) }
    #expect(numbers == [5, 6])
  }

  @Test("Each page is a whole dispatch: hooks, accessories, retries, and the request as written")
  func wholeLine() async throws {
    let recorder = Recorder()
    let transport = try Self.answering(
      Self.page(1, next: "b"), .status(503), Self.page(2, next: "c"), Self.page(3))
    let agent = RequestAgent.mocked(
      by: transport, hooks: [RecordingHooks(recorder: recorder)],
      accessories: [
        EventAccessory(didStop: { report, context in
          recorder.add("\(report.outcome.word) \(report.attempts.count) \(context.request is Get)")
        })
      ])
    let policy = RetryPolicy.upTo(1, backoff: .constant(.zero))
    var pages = 0
    for try await _ in agent.pages(of: Get(pagination: .cursor("c", \.next), retryPolicy: policy)) {
      pages += 1
    }
    #expect(pages == 3)
    let kept = recorder.events.filter { $0.hasPrefix("success") || $0.contains("filterRequest") }
    #expect(
      kept == [
        "agent.filterRequest 1", "success 1 true", "agent.filterRequest 1", "agent.filterRequest 2",
        "success 2 true", "agent.filterRequest 1", "success 1 true",
      ])
  }

  @Test("A failed page ends the walk with its dispatch's error, and overrides apply to every page")
  func failing() async throws {
    let transport = try Self.answering(Self.page(1, next: "b"), .status(500))
    let request = Get(pagination: .cursor("c", \.next)).with(\.headers, ["X-A": "1"])
    let pages = RequestAgent.mocked(by: transport).pages(of: request).makeAsyncIterator()
    #expect(try await pages.next()?.items == [1])
    let error = try await #require(throws: RequestError.self) { try await pages.next() }
    #expect(error.status == 500)
    #expect(try await pages.next() == nil)
    #expect(transport.requests.allSatisfy { $0.headers["X-A"] == "1" } && transport.requests.count == 2)
  }

  @Test("A cancelled task ends the current page, and the walk")
  func cancelled() async throws {
    let server = GatedServer()
    let agent = server.agent()
    let pages = agent.pages(of: Get(pagination: .link)).makeAsyncIterator()
    let task = Task { try await pages.next() }
    try await server.arrival(of: "items")
    let busy = try await #require(throws: RequestError.self) { try await pages.next() }
    #expect(busy.kind == .pagination)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pages.next() == nil)
    #expect(agent.liveCount == 0)
  }

  @Test("Every kind of pagination ends a limited walk without an error", arguments: [0, 1, 3])
  func limited(_ limit: Int) async throws {
    let transport = MockTransport { try Self.page($0.number, next: "\($0.number)") }
    let pages = try await walk(transport, Get(pagination: .cursor("c", \.next).limited(to: limit)))
    #expect(pages == (0..<limit).map { [$0 + 1] } && transport.requests.count == limit)
  }

  @Test("The items of list pages need no third argument")
  func listItems() async throws {
    let transport = MockTransport { request in
      let answer = MockAnswer.json("[\(request.number),\(request.number * 10)]")
      return request.number == 1 ? answer.header("Link", "</list?page=2>; rel=next") : answer
    }
    var items: [Int] = []
    for try await item in RequestAgent.mocked(by: transport).pages(
      of: .get("list", as: [Int].self), by: .link
    ).items {
      items.append(item)
    }
    #expect(items == [1, 10, 2, 20] && transport.requests.count == 2)
  }

  @Test(
    "The URL of a page is sent as the server gave the URL",
    arguments: ["/list?&c=1&", "/list?", "/list?a&&b"])
  func sentAsGiven(_ link: String) async throws {
    let transport = MockTransport { request in
      let answer = MockAnswer.text("")
      return request.number == 1 ? answer.header("Link", "<\(link)>; rel=next") : answer
    }
    for try await _ in RequestAgent.mocked(by: transport).pages(of: .get("a", as: String.self), by: .link) {}
    #expect(transport.requests.map(\.target) == ["/a", link])
  }
}

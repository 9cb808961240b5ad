import ErrandMocks
import ErrandURLSession
import Foundation
import Testing

@testable import Errand
@testable import ErrandApps

struct TrailedCall: Request {
  typealias Response = String
  var path = "up"
  var method = HTTPMethod.post
  var headers: HTTPHeaders = [:]
  var body = RequestBody.text("hello")
  var trailers = RequestTrailers.computed(names: ["X-Length"], from: 0, adding: { $0 += $1.count }) {
    ["X-Length": "\($0)"]
  }
  var retryPolicy = RetryPolicy.none
  var coalescing = CoalescingPolicy.none
}

@Suite("Trailers of a dispatch", .timeLimit(.minutes(5)))
struct TrailerTests {
  struct Broken: Error, Equatable {}

  struct TrailerHook: RequestHooks {
    let trailers: RequestTrailers
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.trailers = trailers
    }
  }

  private static func agent(
    _ transport: some Transport, hooks: [any RequestHooks] = [],
    _ configure: (inout AgentConfiguration) -> Void = { _ in }
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configure(&configuration)
    return RequestAgent(
      baseURL: "https://a.example", transport: transport, hooks: hooks, configuration: configuration)
  }

  private static func counted(_ calls: Locked<Int>) -> RequestTrailers {
    .computed {
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      return ["X-Call": "\(number)"]
    }
  }

  @Test("Trailers follow the body over sockets and in a mock, and the header announces them")
  func sent() async throws {
    let mock = MockTransport { .text($0.text) }
    let server = try MockServer()
    defer { server.stop() }
    server.route(.post, "/up") { .text($0.text).header("X-Sum", $0.trailers["X-Length"] ?? "none") }
    for agent in [
      Self.agent(mock), RequestAgent(baseURL: server.baseURL, transport: DefaultTransport.make()),
    ] {
      guard agent.transport.capabilities.sendsTrailers else { continue }
      #expect(try await agent.send(TrailedCall()) == "hello")
      let known = TrailedCall(trailers: ["X-A": "1", "X-B": "2"])
      #expect(try await agent.send(known) == "hello")
      let own = known.with(\.headers, ["Trailer": "X-Own"]).with(\.trailers, ["X-C": "3"])
      #expect(try await agent.send(own) == "hello")
    }
    for requests in [mock.requests, server.requests] where !requests.isEmpty {
      #expect(requests.map(\.trailers) == [["X-Length": "5"], ["X-A": "1", "X-B": "2"], ["X-C": "3"]])
      #expect(requests.map { $0.headers["Trailer"] } == ["X-Length", "X-A, X-B", "X-Own"])
      #expect(requests.map(\.text) == ["hello", "hello", "hello"])
    }
  }

  @Test("A hook can set and remove trailers with their announcement")
  func hooks() async throws {
    let transport = MockTransport { _ in .text("ok") }
    for trailers: RequestTrailers in [["X-H": "1"], .none, .computed { [:] }] {
      _ = try await Self.agent(transport, hooks: [TrailerHook(trailers: trailers)]).send(TrailedCall())
    }
    #expect(transport.requests.map(\.trailers) == [["X-H": "1"], [:], [:]])
    #expect(transport.requests.map { $0.headers["Trailer"] } == ["X-H", nil, nil])
  }

  @Test("Forbidden trailer fields are refused before sending, from any source")
  func refused() async throws {
    let transport = MockTransport { _ in .text("ok") }
    let rows: [(RequestTrailers, String)] = [
      (["Content-Length": "5"], "the field Content-Length cannot be a trailer: the field frames the message"),
      (
        ["Authorization": "Bearer t"],
        "the field Authorization cannot be a trailer: the field contains credentials"
      ),
      (["X-A": "1\r\nX-B: 2"], "the value of the trailer X-A contains a line break or a NUL"),
      (
        .computed(names: ["Host"]) { [:] }, "the field Host cannot be a trailer: the field routes the request"
      ),
    ]
    for (trailers, reason) in rows {
      let early = try await #require(throws: RequestError.self) {
        try await Self.agent(transport).send(TrailedCall(trailers: trailers))
      }
      #expect(early.kind == .invalidRequest && early.stage == .build && early.reason == reason)
      let late = try await #require(throws: RequestError.self) {
        try await Self.agent(transport, hooks: [TrailerHook(trailers: trailers)]).send(TrailedCall())
      }
      #expect(late.kind == .invalidRequest && late.stage == .filterRequest && late.reason == reason)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test(
    "Custom transports without trailers, URLSession, uploads and background transfers refuse trailers"
  )
  func unsupported() async throws {
    let transport = FunctionTransport()
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(transport).send(TrailedCall())
    }
    #expect(error.kind == .unsupported && error.stage == .build && transport.requests.isEmpty)
    #expect(error.reason == "the request has trailers, but FunctionTransport sends no trailers")
    var direct = HTTPRequest(url: URL(string: "http://127.0.0.1:9/")!, method: .post, body: .text("x"))
    direct.trailers = ["X-A": "1"]
    #expect(!URLSessionTransport().capabilities.sendsTrailers && URLRequest(direct) == nil)
    let sent = direct
    await #expect(throws: TransportError(.unsupported, "URLSession sends no trailers: use CurlTransport")) {
      _ = try await URLSessionTransport().send(TransportRequest(sent))
    }
    let mock = MockTransport { _ in .text("ok") }
    let upload = try await #require(throws: RequestError.self) {
      try await Self.agent(mock).upload(.text("x"), to: TrailedCall(body: .automatic), by: .tus())
    }
    #expect(upload.kind == .unsupported && mock.requests.isEmpty)
    #expect(upload.reason == "the request has trailers, which an upload of several requests cannot send")
  }

  @Test("Background transfers refuse trailers, because the system sends no trailers")
  func background() async throws {
    let (session, folder) = (BackgroundTransfersTests.KeptSession(), TemporaryDirectory())
    let transfers = BackgroundTransfers(
      session, eventSource: BackgroundEventSource(), agent: Self.agent(MockTransport { _ in .text("ok") }))
    let call = TrailedCall(body: .none, trailers: ["X-A": "1"])
    let file = try folder.file("upload.bin", "bytes")
    let errors = [
      await #expect(throws: RequestError.self) {
        _ = try await transfers.download(call, to: folder.url.appendingPathComponent("a"))
      }, await #expect(throws: RequestError.self) { _ = try await transfers.upload(file, to: call) },
    ]
    for error in errors {
      #expect(
        error?.kind == .unsupported && error?.reason == "a background transfer cannot send trailers")
    }
    #expect(session.tasks.isEmpty)
  }

  @Test("An error of the computation, or a forbidden computed field, fails the attempt")
  func failures() async throws {
    let transport = MockTransport { _ in .text("ok") }
    let thrown = try await #require(throws: RequestError.self) {
      try await Self.agent(transport).send(TrailedCall(trailers: .computed { throw Broken() }))
    }
    #expect(
      thrown.stage == .transport && thrown.kind == .transport && thrown.cause(as: Broken.self) == Broken())
    let refused = try await #require(throws: RequestError.self) {
      try await Self.agent(transport).send(TrailedCall(trailers: .computed { ["Host": "evil"] }))
    }
    #expect(refused.stage == .transport && refused.kind == .invalidRequest)
    #expect(refused.reason == "the field Host cannot be a trailer: the field routes the request")
    #expect(transport.requests.isEmpty)
  }

  @Test(
    "Each sending computes the trailers once: an attempt, a redirect with a body, and a signature after a 401"
  )
  func repeats() async throws {
    let calls = Locked(0)
    let transport = MockTransport { request in
      switch (request.path, request.number) {
      case (_, 1): .status(503)
      case (_, 2): .status(307).header("Location", "/again")
      case (_, 3): .status(401).header("WWW-Authenticate", "Basic")
      default: .text(request.trailers["X-Call"] ?? "none")
      }
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.authenticator = PasswordAuthenticator(
      try #require(BasicCredentials(username: "ada", password: "pw")))
    let agent = RequestAgent(
      baseURL: "https://a.example", transport: transport, configuration: configuration)
    let retries = RetryPolicy.upTo(1).retryingUnsafeMethods()
    let call = TrailedCall(trailers: Self.counted(calls), retryPolicy: retries)
    #expect(try await agent.send(call) == "4")
    #expect(transport.requests.map { $0.trailers["X-Call"] } == ["1", "2", "3", "4"])
    #expect(calls.withLock { $0 } == 4)
  }

  @Test(
    "A redirect without the body sends no trailers, and a redirect to another origin sends harmless fields only"
  )
  func redirects() async throws {
    for (status, place, expected) in [
      (303, "/new", ["-", "-"]), (307, "/new", ["Content-Digest: d; X-A: 1", "Content-Digest, X-A"]),
      (307, "https://b.example/new", ["Content-Digest: d", "Content-Digest"]),
    ] {
      for isComputed in [false, true] {
        let transport = MockTransport { request in
          request.path == "/up" ? .status(HTTPResponse.Status(status)).header("Location", place) : .text("ok")
        }
        let fields: HTTPHeaders = ["Content-Digest": "d", "X-A": "1"]
        let trailers =
          isComputed
          ? RequestTrailers.computed(names: fields.fields.map(\.name)) { fields } : RequestTrailers(fields)
        let received = try await Self.agent(transport).response(for: TrailedCall(trailers: trailers))
        let last = try #require(transport.requests.last)
        let found = last.trailers.fields.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
        #expect([found.isEmpty ? "-" : found, last.headers["Trailer"] ?? "-"] == expected)
        #expect(received.report.attempts.last?.withheld == (place.hasPrefix("https") ? ["X-A"] : []))
      }
    }
  }

  @Test("A hook that redirects elsewhere sends its own trailers only")
  func ledElsewhere() async throws {
    for own: RequestTrailers? in [nil, ["X-B": "2"]] {
      let transport = MockTransport { request in
        request.path == "/up" ? .status(307).header("Location", "/new") : .text("ok")
      }
      let hook = DecidingHooks { request, _, _ in
        request.url = URL(string: "https://b.example/new")!
        if let own { request.trailers = own }
        return .follow
      }
      _ = try await Self.agent(transport, hooks: [hook]).send(TrailedCall(trailers: ["X-A": "1"]))
      #expect(transport.requests.map(\.trailers) == [["X-A": "1"], own?.fields ?? [:]])
      #expect(transport.requests.map { $0.headers["Trailer"] } == ["X-A", own?.announcement])
    }
  }

  @Test("Requests with trailers share no transfer, and use no cache")
  func alone() async throws {
    let transport = MockTransport { _ in .text("ok").header("Cache-Control", "max-age=60") }
    let agent = Self.agent(transport) { $0.cache = MemoryCache() }
    let call = TrailedCall(method: .get, body: .none, trailers: ["X-A": "1"], coalescing: .whileInFlight)
    for _ in 1...2 { _ = try await agent.send(call) }
    #expect(transport.requests.count == 2)
    async let first = agent.response(for: call)
    async let second = agent.response(for: call)
    #expect(try await [first, second].allSatisfy { !$0.report.attempts[0].isCoalesced })
    #expect(transport.requests.count == 4)
    let plain = TrailedCall(method: .get, body: .none, trailers: .none)
    for _ in 1...2 { _ = try await agent.send(plain) }
    #expect(transport.requests.count == 5)
  }

  @Test("A cancellation ends the computation, with a single outcome")
  func cancelled() async throws {
    let (isAsked, wasCancelled, outcomes) = (OneTime<Void>(), OneTime<Bool>(), Recorder())
    let trailers = RequestTrailers.computed {
      isAsked.set(())
      let (stream, giving) = AsyncStream<Void>.makeStream()
      for await _ in stream {}
      wasCancelled.set(Task.isCancelled)
      giving.finish()
      return [:]
    }
    let transport = MockTransport { _ in .text("ok") }
    let handle = Self.agent(transport).start(TrailedCall(trailers: trailers)) { outcomes.add("\($0)") }
    try await isAsked.wait()
    handle.cancel()
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .cancelled && error.stage == .transport && transport.requests.isEmpty)
    #expect(try await wasCancelled.wait())
  }
}

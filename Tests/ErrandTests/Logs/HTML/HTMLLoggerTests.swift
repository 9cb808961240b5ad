import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

@Suite("Blocks of the HTML logger")
struct HTMLLoggerTests {
  private let folder = LogFolder()
  private let clock = TestClock(autoAdvances: true)

  private static let user = HTTPResponse(
    headers: ["Content-Type": "application/json"], body: Data(#"{"id":7,"name":"Ada"}"#.utf8))
  private static let busy = HTTPResponse(status: 503, body: Data("busy".utf8))

  @Test("Each event is a block in order, with the sent, received and decided values")
  func sequence() async throws {
    let logger = folder.logger(clock)
    let agent = LogFolder.agent(logger, clock, Self.busy, Self.user)
    let request = OneOffRequest<Data>.get("users/7", as: Data.self)
      .with(\.retryPolicy, .upTo(1, backoff: .constant(.milliseconds(1500)))).with(\.comment, "profile")
    _ = try await agent.send(request)
    await logger.flush()
    let page = try folder.page()
    #expect(page.rest.isEmpty)
    #expect(
      page.events == ["run", "start 1", "send 1", "attempt 1", "send 1", "attempt 1", "stop 1"])
    let start = try #require(page.all("start").first)
    #expect(page.all("send").map { $0["comment"].string } == ["profile", "profile"])
    #expect(start["time"].number?.text == "1795508808000")
    let attempts = page.all("attempt")
    #expect(attempts[0]["phrase"].string == "503 Service Unavailable")
    #expect(attempts[0]["retry"]["source"].string == "policy")
    #expect(attempts[0]["retry"]["wait"].number?.text == "1500")
    #expect(
      attempts[0]["notes"].array?.compactMap(\.string) == [
        "Failed at validate: status 503 Service Unavailable is not in 200..<300.",
        "Retry in 1.500 s, by the retry policy.",
      ])
    #expect(attempts[1]["begun"].number?.text == "1510")
    #expect(attempts[1]["body"]["text"].string == #"{"id":7,"name":"Ada"}"#)
    let stop = try #require(page.all("stop").first)
    #expect(stop["outcome"].string == "success")
    #expect(stop["elapsed"].number?.text == "1520")
    #expect(
      page.all("send")[0]["curl"].string?.hasPrefix("curl 'https://api.example.com/users/7'") == true)
    #expect(logger.problem == nil)
    #expect(logger.lostEvents == 0)
  }

  @Test("A failed dispatch has its error with the advice, even if never sent")
  func failures() async throws {
    let logger = folder.logger(clock)
    let agent = LogFolder.agent(logger, clock, HTTPResponse(status: 404))
    await #expect(throws: RequestError.self) { try await agent.send(.get("a", as: Data.self)) }
    await #expect(throws: RequestError.self) { try await agent.send(.get("ftp://b.example/", as: Data.self)) }
    await logger.flush()
    let page = try folder.page()
    #expect(
      page.events == ["run", "start 1", "send 1", "attempt 1", "stop 1", "start 2", "attempt 2", "stop 2"])
    let stops = page.all("stop")
    #expect(stops.map { $0["errorKind"].string } == ["status", "invalidURL"])
    #expect(stops[0]["error"].string?.contains("404 Not Found") == true)
  }

  @Test("A redirect has its status, its target and its time, and each request its sending time")
  func redirects() async throws {
    let logger = folder.logger(clock)
    let moved = HTTPResponse(status: 302, headers: ["Location": "/b?token=s3cret"])
    let agent = LogFolder.agent(logger, clock, moved, Self.user)
    _ = try await agent.send(.get("a", as: Data.self))
    await logger.flush()
    let page = try folder.page()
    #expect(page.events == ["run", "start 1", "send 1", "send 1", "attempt 1", "stop 1"])
    #expect(page.all("send").map { $0["at"].number?.text } == ["0", "10"])
    let attempt = try #require(page.all("attempt").first)
    let redirect = try #require(attempt["redirects"].array?.first)
    #expect(redirect["status"].string == "302 Found")
    #expect(redirect["method"].string == "GET")
    #expect(redirect["url"].string == "https://api.example.com/b?token=<redacted>")
    #expect(redirect["at"].number?.text == "10")
    #expect(
      attempt["notes"].array?.first?.string
        == "302 Found after 0.010 s led to GET https://api.example.com/b?token=<redacted>")
  }

  @Test(
    "A failure has its phase, and an unsent request no network phase"
  )
  func phases() async throws {
    let logger = folder.logger(clock)
    let agent = RequestAgent(
      baseURL: "https://api.example.com",
      transport: FunctionTransport { _, _ in throw TransportError(.connectionFailed, "nobody listens") },
      accessories: [logger])
    await #expect(throws: RequestError.self) { try await agent.send(.get("a", as: Data.self)) }
    await #expect(throws: RequestError.self) { try await agent.send(.get("ftp://b.example/", as: Data.self)) }
    await logger.flush()
    let attempts = try folder.page().all("attempt")
    #expect(attempts.map { $0["phase"].string } == ["connect", "before"])
    #expect(attempts.map { $0["stage"].string } == ["transport", "build"])
    #expect(attempts.map { $0["failureKind"].string } == ["connectionFailed", "invalidURL"])
  }

  @Test("Received text can neither end its block nor add an element")
  func escaping() async throws {
    let evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&lt;"
    let logger = folder.logger(clock)
    let answer = HTTPResponse(
      headers: ["Content-Type": "text/html", "X-Evil": evil], body: Data("\(evil)\u{202E}\u{2028}".utf8))
    let agent = LogFolder.agent(logger, clock, answer)
    _ = try await agent.send(.get("a?q=%3C/script%3E", as: Data.self).with(\.comment, evil))
    await logger.flush()
    // Reading the page fails if a block contains `<`.
    let page = try folder.page()
    #expect(page.events == ["run", "start 1", "send 1", "attempt 1", "stop 1"])
    #expect(page.all("send")[0]["comment"].string == evil)
    #expect(page.all("attempt")[0]["body"]["text"].string == "\(evil)\\u{202E}\\u{2028}")
    #expect(page.all("attempt")[0]["headers"].array?.last?.array?.last?.string == evil)
  }

  @Test("The page only allows its own script and style, and loads nothing")
  func policy() throws {
    let head = String(decoding: HTMLLogPage.head(title: #"<a "b" & c>"#), as: UTF8.self)
    #expect(head.contains(#"<title>&lt;a &quot;b&quot; &amp; c&gt;</title>"#))
    #expect(head.contains("content=\"default-src 'none'; script-src 'sha256-"))
    #expect(head.contains("img-src data:; base-uri 'none'; form-action 'none'\">"))
    #expect(!HTMLLogPage.policy.contains("unsafe"))
    #expect(!head.contains("http://") && !head.contains("https://"))
    for unsafe in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"] {
      #expect(!HTMLLogPage.script.contains(unsafe))
    }
    #expect(head.components(separatedBy: "<script").count == 2)
  }

  @Test("Every complete block of a truncated page is readable")
  func crashes() async throws {
    let logger = folder.logger(clock)
    let agent = LogFolder.agent(logger, clock, Self.user)
    for path in ["a", "b"] { _ = try await agent.send(.get(path, as: Data.self)) }
    await logger.flush()
    let bytes = try Data(contentsOf: folder.path())
    let whole = try LoggedPage(bytes)
    #expect(whole.events.count == 9)
    for length in whole.head.count...bytes.count {
      let page = try LoggedPage(Data(bytes.prefix(length)))
      // Half an opening tag does not yet count as an element.
      #expect(Data(page.head.prefix(whole.head.count)) == whole.head)
      #expect(Array(whole.events.prefix(page.events.count)) == page.events)
      // An incomplete block is the last block.
      #expect(page.rest.range(of: LoggedPage.closing) == nil)
    }
  }

  @Test("A comment is written once the request is known, so sent secrets are redacted")
  func comments() async throws {
    struct Slow: RequestHooks {
      let logger: HTMLLogger
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        await logger.flush()
      }
    }
    let logger = folder.logger(clock)
    let agent = LogFolder.agent(logger, clock, hooks: [Slow(logger: logger)], Self.user)
    for path in ["a", "ftp://b.example/"] {
      let request = OneOffRequest<Data>(path, headers: ["Authorization": "Bearer canary-77"], response: .data)
      _ = try? await agent.send(request.with(\.comment, "as canary-77 of \(path)"))
    }
    await logger.flush()
    let page = try folder.page()
    #expect(
      page.events == ["run", "start 1", "send 1", "attempt 1", "stop 1", "start 2", "attempt 2", "stop 2"])
    #expect(
      page.blocks.map { $0["comment"].string }[2...4] == ["as <redacted> of a", nil, "as <redacted> of a"])
    #expect(page.blocks[7]["comment"].string == "as <redacted> of ftp://b.example/")
    #expect(!String(decoding: try Data(contentsOf: folder.path()), as: UTF8.self).contains("canary-77"))
  }

  @Test("The command on the page has no invisible characters")
  func command() async throws {
    let logger = folder.logger(clock)
    let agent = LogFolder.agent(logger, clock, Self.user)
    let body = RequestBody.text("a\u{202E}b\u{2028}\u{1B}[31m")
    _ = try await agent.send(OneOffRequest<Data>("a", method: .post, body: body, response: .data))
    await logger.flush()
    let line = try #require(try folder.page().all("send")[0]["curl"].string)
    #expect(
      line.hasSuffix(#"--data-raw 'a'"$(printf '\342\200\256')"'b'"$(printf '\342\200\250\033')"'[31m'"#))
    #expect(line.printed == line)
  }

  @Test("No secret is in any file of the folder")
  func secrets() async throws {
    let canary = "canary-5f3c9a71"
    struct Signing: RequestHooks {
      let secret: Secret
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["Authorization"] = "Bearer \(secret.reveal())"
      }
    }
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data("tEXt\(canary)".utf8)
    let answers = [
      HTTPResponse(
        headers: ["Set-Cookie": "a=\(canary)", "X-Echo": canary], body: Data("you sent \(canary)".utf8)),
      HTTPResponse(status: 500, body: Data(#"{"token":"\#(canary)"}"#.utf8)), HTTPResponse(body: png),
      HTTPResponse(body: Data([0, 1]) + Data(canary.utf8)),
    ]
    let logger = folder.logger(clock)
    let agent = LogFolder.agent(
      logger, clock, hooks: [Signing(secret: Secret(canary))], answers[0], answers[1], answers[2], answers[3])
    for _ in answers {
      let request = OneOffRequest<Data>(
        "a?token=\(canary)&q=\(canary)", method: .post, parameters: ["password": canary, "note": canary],
        serializer: .json, response: .data)
      _ = try? await agent.send(request.with(\.comment, "for \(canary)"))
    }
    await logger.flush()
    for file in folder.files {
      let text = String(
        decoding: try Data(contentsOf: folder.url.appendingPathComponent(file)), as: UTF8.self)
      #expect(!text.contains(canary))
      for encoded in [String(Data(canary.utf8).base64EncodedString().prefix(12)), "63616e6172"] {
        #expect(!text.contains(encoded))
      }
    }
    #expect(try folder.page().all("send").count == 4)
    #expect(try folder.page().all("send")[0]["curl"].string?.contains(Redaction.marker) == true)
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("Printing and dumping of types with secrets")
struct PrintedTypesTests {
  static let secret = "hunter2"
  static let url = URL(string: "https://ada:hunter2@example.com/a?token=hunter2#token=hunter2")!
  static let request = HTTPRequest(
    url: url, headers: ["Authorization": "Bearer hunter2", "Cookie": "hunter2"],
    body: .text("hunter2"))
  static let response = HTTPResponse(
    status: 401, headers: ["Set-Cookie": "hunter2", "Location": "https://example.com/?token=hunter2"],
    body: Data(#"{"token":"hunter2"}"#.utf8), url: url)
  static let error = RequestError(
    .status, "token=hunter2 was refused", request: request, response: response,
    cause: Refusal("the URL \(url) was refused"))
  static let redirect = AttemptReport.Redirect(from: url, status: 302, to: url, method: .get)
  static let metrics: TransportSummary.Metrics = {
    var metrics = TransportSummary.Metrics()
    metrics.proxy = "http://ada:hunter2@proxy.example:3128"
    metrics.proxyResponse = response
    return metrics
  }()
  static let attempt = AttemptReport(
    number: 1, request: request, response: response, redirects: [redirect], bodyLength: 7, metrics: nil,
    isMocked: false, begun: .zero, elapsed: .zero, outcome: .failure(error), stage: .validate, retry: nil,
    noRetryReason: nil)
  static let report = ExchangeReport(
    id: 1, started: .distantPast, elapsed: .zero, attempts: [attempt], outcome: .failure(error),
    lastStage: .decode)
  static let oneOff = OneOffRequest<Void>(
    url.absoluteString, method: .post, parameters: ["password": "hunter2"], query: ["token": "hunter2"],
    headers: request.headers, body: request.body, response: .none)
  static let overridden = oneOff.with(\.baseURL, url).with(\.cdnURL, url).with(\.path, "a?token=hunter2")
    .with(\.headers, request.headers).with(\.body, request.body).with(\.userInfo, ["pin": "hunter2"])

  /// With a marked secret.
  struct Stored: Request {
    typealias Response = String
    var pin: Secret = "hunter2"
    var spare: Secret? = "hunter2"
  }

  static let agent = RequestAgent(baseURL: url)

  static var configuration: AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.cdnURL = url
    configuration.headers = request.headers
    return configuration
  }

  @Test("A configuration shows its CDN, or its absence")
  func cdn() {
    var configuration = AgentConfiguration()
    #expect("\(configuration)".hasPrefix("no CDN URL"))
    configuration.cdnURL = URL(string: "https://cdn.example/y/")
    #expect("\(configuration)".hasPrefix("https://cdn.example/y/"))
  }

  static let member = GroupReport.Member(
    index: 0, request: oneOff, wasSent: true, outcome: .failure(error), exchange: report)
  static let failure = RequestError.GroupFailure(
    members: [.init(index: 0, request: overridden, wasSent: true, outcome: .failure(error), exchange: nil)])

  /// With an unmarked secret.
  struct Plain: PaginatedRequest {
    typealias Response = String
    var pin = "hunter2"
    var pagination: Pagination<String> { .link }
  }

  static var groups: [any Sendable] {
    let plain = GroupReport.Member(
      index: 1, request: Plain(), wasSent: false, outcome: .cancelled, exchange: nil)
    let core = GroupCore(UniformBatch([Plain()]), agent: agent, entry: agent.groups.enter())
    return [
      member, plain, failure, failure.members[0], GroupHandle<[String]>(core), core.context,
      GroupRun(core: core),
      GroupReport(
        id: 1, started: .distantPast, elapsed: .zero, members: [member, plain], outcome: .failure(error)),
      RequestError.GroupFailure(members: [
        .init(index: 0, request: Plain(), wasSent: true, outcome: .failure(error), exchange: nil)
      ]),
    ]
  }

  static var batches: [any Sendable] {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) else {
      return [UniformBatch([Plain()])]
    }
    return [UniformBatch([Plain()]), BatchRequest(Plain(), overridden)]
  }

  static var pages: [any Sendable] {
    let pages = agent.pages(of: Plain())
    return [
      NextPage.url(url.absoluteString), NextPage.query(["token": "hunter2"]), Pagination<Int>.link, pages,
      pages.makeAsyncIterator(), agent.pages(of: Plain()).items,
    ]
  }

  static let values: [any Sendable] = [
    request, request.headers, request.headers.fields[0], request.body, response, error, error.cause!,
    TransportError(.transport, "no answer from \(url)"), redirect, attempt, report,
    Outcome<String>.failure(error),
    Received(value: 1, response: response, report: report),
    TransportRequest(request), TransportResponse(head: response, body: BodyStream(response.body)),
    BodyStream(response.body), oneOff, overridden, overridden.overrides, oneOff.parameters,
    BasicCredentials(username: "ada", password: secret)!, agent,
    RequestAgent(baseURL: url, configuration: configuration), configuration,
    Dispatch(overridden, agent: agent, entry: agent.inFlight.enter()).context,
    Secret(secret), [Secret(secret)], Redaction.standard.hiding(secrets: [Secret(secret)]),
    Redaction.standard.hidingCredentials(of: request), Outcome<String>.success(secret),
    CachePolicy.fixed(time: .seconds(1), version: 1, scope: secret), metrics,
    ["pin": Secret(secret)] as Parameters, Parameters.Node.secret(Secret(secret)), Stored(),
  ]

  static let all = values + groups + batches + pages

  @Test("No description, debug description or dump shows the secret", arguments: all.indices)
  func hidden(_ index: Int) {
    let value = Self.all[index]
    var dumped = ""
    dump(value, to: &dumped)
    let bytes = Self.secret.utf8.map { "- \($0)" }
    for text in [String(describing: value), String(reflecting: value), dumped] {
      #expect(!text.contains(Self.secret))
      #expect(!bytes.allSatisfy(text.contains), "the bytes are listed")
    }
  }

  @Test("A value supplied by a hook without a response hides the secrets of its dispatch")
  func supplied() async throws {
    struct Supplying: RequestHooks {
      func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
        ("floor \(PrintedTypesTests.secret)" as? Value).map(Outcome.success) ?? outcome
      }
    }
    var configuration = AgentConfiguration()
    configuration.redaction = .standard.hiding(secrets: [Secret(Self.secret)])
    let agent = RequestAgent(
      baseURL: "https://a.example",
      transport: FunctionTransport { _, _ in throw TransportError(.transport, "x") },
      hooks: [Supplying()], configuration: configuration)
    let received = try await agent.response(for: .get("a", as: String.self))
    #expect(received.response.status == 0)
    #expect("\(received)".hasPrefix("Received(value: \"floor <redacted>\", response: "))
  }

  @Test("The reader of a stream shows nothing of its dispatch")
  func reader() async throws {
    var configuration = AgentConfiguration()
    configuration.authenticator = .apiKey(Self.secret, query: "q")
    let agent = RequestAgent(
      baseURL: "https://a.example", transport: FunctionTransport(), configuration: configuration)
    let reader = try await agent.stream(.get("x?token=hunter2")).body.makeAsyncIterator()
    var dumped = ""
    dump(reader, to: &dumped)
    #expect(dumped == "- body stream\n" && String(reflecting: reader) == "body stream")
  }

  @Test("A batch names the types of its members")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  func batchTypes() {
    #expect("\(UniformBatch([Plain(), Plain()]))" == "UniformBatch(2 of Plain)")
    #expect("\(BatchRequest(Plain(), Stored()))" == "BatchRequest(Plain, Stored)")
  }

  @Test("Metrics show their values, and no object")
  func metricsText() {
    var metrics = TransportSummary.Metrics()
    metrics.proxy = "http://ada:hunter2@proxy.example:3128"
    metrics.httpVersion = "HTTP/2"
    let zero = "0.0 seconds"
    #expect(
      "\(metrics)" == """
        Metrics(nameLookup: \(zero), connect: \(zero), secureConnect: \(zero), firstByte: \(zero), \
        total: \(zero), bytesSent: 0, bytesReceived: 0, isConnectionReused: false, resends: 0, \
        httpVersion: Optional("HTTP/2"), remoteAddress: nil, tls: nil, \
        proxy: Optional("http://<redacted>@proxy.example:3128"), proxyResponse: nil)
        """)
  }

  @Test("A quick call describes itself for logs")
  func oneOff() {
    #expect(
      "\(Self.oneOff)" == "POST https://<redacted>@example.com/a?token=<redacted>#token=<redacted>")
    #expect("\(OneOffRequest<Void>.get("users/7"))" == "GET users/7")
  }
}

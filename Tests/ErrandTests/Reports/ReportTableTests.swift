import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The report of a dispatch as a table", .timeLimit(.minutes(5)))
struct ReportTableTests {
  let clock = TestClock(autoAdvances: true)

  func agent(
    _ change: (inout AgentConfiguration) -> Void = { _ in },
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) -> RequestAgent {
    ReportedExchange.agent(clock, change, answer: answer)
  }

  @Test("A success after a failure with a wait from the server")
  func retried() async throws {
    let agent = agent({ $0.retryPolicy = .upTo(2) }) { request in
      request.number == 1
        ? .text("busy", status: 503).header("Retry-After", "3").delayed(by: .milliseconds(250))
        : .text("done")
    }
    let report = try await agent.response(for: ReportedExchange.Fetch("users/7?token=hunter2")).report
    #expect(
      "\(report)" == """
        Request 1: GET https://mocked.example/users/7?token=<redacted>
        Success at decode after 3.250 s, 2 attempts.

        #  begun    took     answer                   bytes  connection
        1  0.000 s  0.250 s  503 Service Unavailable  4
           Failed at validate: status 503 Service Unavailable is not in 200..<300.
           Retry in 3.000 s, as the server's Retry-After asks.
        2  3.250 s  0.000 s  200 OK                   4
        """)
    #expect(
      "\(report.attempts[0])" == """
        Attempt 1: 503 Service Unavailable, 4 bytes, took 0.250 s
           Failed at validate: status 503 Service Unavailable is not in 200..<300.
           Retry in 3.000 s, as the server's Retry-After asks.
        """)
  }

  @Test("A final failure")
  func failed() async throws {
    let agent = agent { _ in .failure(TransportError(.connectionFailed, "nobody listens")) }
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(ReportedExchange.Fetch("orders", .post))
    }
    #expect(
      try "\(#require(error.report))" == """
        Request 1: POST https://mocked.example/orders
        Failure at transport after 0.000 s, 1 attempt.

        #  begun    took     answer     bytes  connection
        1  0.000 s  0.000 s  no answer  0
           Failed at transport: nobody listens.
           No retry: the retry policy allows no retry.
        """)
  }

  @Test("A redirect, a mocked response, and a request that could not be built")
  func others() async throws {
    let agent = agent({ $0.allowsMocks = true }) { request in
      request.url?.path == "/old" ? .status(303).header("Location", "/new?key=hunter2") : .text("here")
    }
    let moved = try await agent.response(for: ReportedExchange.Fetch("old", .post)).report
    #expect(
      "\(moved)" == """
        Request 1: POST https://mocked.example/old
        Success at decode after 0.000 s, 1 attempt.

        #  begun    took     answer  bytes  connection
        1  0.000 s  0.000 s  200 OK  4
           303 See Other led to GET https://mocked.example/new?key=<redacted>
        """)

    let mocked = try await agent.response(for: ReportedExchange.Mocked()).report
    #expect(
      "\(mocked)" == """
        Request 2: GET https://mocked.example/mocked
        Success at decode after 0.000 s, 1 attempt.

        #  begun    took     answer  bytes  connection
        1  0.000 s  0.000 s  200 OK  4      mocked
        """)

    let error = try await #require(throws: RequestError.self) {
      try await agent.send(ReportedExchange.Fetch("https://[::1"))
    }
    #expect(
      try "\(#require(error.report))" == """
        Request 3
        Failure at build after 0.000 s, 1 attempt.

        #  begun    took     answer     bytes  connection
        1  0.000 s  0.000 s  no answer  0
           Failed at build: \(error.reason).
           No retry: the retry policy allows no retry.
        """)
  }

  @Test("A dispatch cancelled during the wait for a retry")
  func cancelled() async throws {
    let clock = TestClock()
    let agent = ReportedExchange.agent(clock, { $0.retryPolicy = .upTo(1) }) { _ in .status(500) }
    let handle = agent.start(ReportedExchange.Fetch("slow"))
    await clock.waitForSleepers()
    #expect(handle.report == nil)
    await clock.advance(by: .milliseconds(500))
    handle.cancel()
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    let report = try #require(handle.report)
    #expect(
      "\(report)" == """
        Request 1: GET https://mocked.example/slow
        Cancelled at retry after 0.500 s, 1 attempt.

        #  begun    took     answer                     bytes  connection
        1  0.000 s  0.000 s  500 Internal Server Error  0
           Failed at validate: status 500 Internal Server Error is not in 200..<300.
           Retry in 1.000 s, by the retry policy.
        """)
    #expect("\(report)" == error.report.map { "\($0)" })
  }

  @Test("A dispatch cancelled during the transfer, and a dispatch cancelled before its start")
  func cancelledEarly() async throws {
    let clock = TestClock()
    let agent = ReportedExchange.agent(clock) { _ in .text("late").delayed(by: .seconds(9)) }
    let handle = agent.start(ReportedExchange.Fetch("slow"))
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(
      handle.report.map { "\($0)" } == """
        Request 1: GET https://mocked.example/slow
        Cancelled at transport after 1.000 s, 1 attempt.

        #  begun    took     answer     bytes  connection
        1  0.000 s  1.000 s  no answer  0
           Cancelled at transport.
        """)

    let early = ReportedExchange.agent(clock) { _ in .text("never") }
    let never = early.start(
      ReportedExchange.Fetch("never").with(\.accessories, [ReportedExchange.Canceller(early)]))
    await #expect(throws: RequestError.self) { try await never.value }
    #expect(never.report.map { "\($0)" } == "Request 1\nCancelled at build after 0.000 s, 0 attempts.")
  }

  @Test(
    "The waits for a slot and the rate limit, sharing, and the transport's metrics")
  func waits() {
    var metrics = TransportSummary.Metrics()
    (metrics.nameLookup, metrics.connect, metrics.secureConnect) = (
      .milliseconds(1), .milliseconds(2), .milliseconds(5)
    )
    (metrics.firstByte, metrics.total) = (.milliseconds(12), .milliseconds(15))
    (metrics.bytesSent, metrics.bytesReceived, metrics.httpVersion, metrics.resends) = (
      210, 2048, "HTTP/2", 1
    )
    var attempt = AttemptReport(
      number: 10, request: nil, response: HTTPResponse(status: 200), redirects: [], bodyLength: 2000,
      metrics: metrics,
      isMocked: false, begun: .seconds(61), elapsed: .seconds(1.5), outcome: .success(()), stage: .decode,
      retry: nil,
      noRetryReason: nil)
    (attempt.slotWait, attempt.throttleWait, attempt.authenticationWait) = (
      .seconds(1), .seconds(2), .milliseconds(3)
    )
    var shared = attempt
    shared.isCoalesced = true
    shared.metrics?.isConnectionReused = true
    shared.metrics?.resends = 0
    let report = ExchangeReport(
      id: 7, started: .distantPast, elapsed: .seconds(63), turnWait: .seconds(60),
      attempts: [attempt, shared],
      outcome: .success(()), lastStage: .decode)
    #expect(
      "\(report)" == """
        Request 7
        Success at decode after 63.000 s, 2 attempts.
        Waited 60.000 s for other serial requests.

        #   begun     took     answer  bytes  connection
        10  61.000 s  1.500 s  200 OK  2000   new, HTTP/2
            Waited 2.000 s for the rate limit, 1.000 s for a slot, 0.003 s for the authenticator.
            name 0.001 s, connected 0.002 s, TLS 0.005 s, first byte 0.012 s, last byte 0.015 s; \
        210 bytes sent, 2048 received; sent again over another connection
        10  61.000 s  1.500 s  200 OK  2000   shared, HTTP/2
            Waited 2.000 s for the rate limit, 1.000 s for a slot, 0.003 s for the authenticator.
            name 0.001 s, connected 0.002 s, TLS 0.005 s, first byte 0.012 s, last byte 0.015 s; \
        210 bytes sent, 2048 received
        """)
    shared.metrics?.connect = .microseconds(499)
    (shared.slotWait, shared.throttleWait, shared.authenticationWait) = (
      .nanoseconds(1), .zero, .microseconds(500)
    )
    #expect(
      "\(shared)" == """
        Attempt 10: 200 OK, 2000 bytes, took 1.500 s, shared, HTTP/2
           Waited 0.001 s for the authenticator.
           name 0.001 s, TLS 0.005 s, first byte 0.012 s, last byte 0.015 s; 210 bytes sent, 2048 received
        """)
    #expect(
      "\(attempt)" == """
        Attempt 10: 200 OK, 2000 bytes, took 1.500 s, new, HTTP/2
           Waited 2.000 s for the rate limit, 1.000 s for a slot, 0.003 s for the authenticator.
           name 0.001 s, connected 0.002 s, TLS 0.005 s, first byte 0.012 s, last byte 0.015 s; \
        210 bytes sent, 2048 received; sent again over another connection
        """)
  }

  @Test("Byte counts with an overflowing sum are printed")
  func manyBytes() {
    var metrics = TransportSummary.Metrics()
    (metrics.bytesSent, metrics.bytesReceived) = (.max, 1)
    let attempt = AttemptReport(
      number: 1, request: nil, response: nil, redirects: [], bodyLength: 0, metrics: metrics, isMocked: false,
      begun: .zero, elapsed: .zero, outcome: .cancelled, stage: .transport, retry: nil, noRetryReason: nil)
    #expect(
      "\(attempt)" == """
        Attempt 1: no answer, 0 bytes, took 0.000 s, new
           9223372036854775807 bytes sent, 1 received
           Cancelled at transport.
        """)
  }

  @Test("The method of each hop is shown, in the report, in a redirect, and in a decoded report")
  func methods() async throws {
    let agent = agent { request in
      switch request.url?.path {
      case "/one": .status(307).header("Location", "/two")
      case "/two": .status(303).header("Location", "/three")
      default: .text("here")
      }
    }
    let report = try await agent.response(for: ReportedExchange.Fetch("one", .put)).report
    let text = """
      Request 1: PUT https://mocked.example/one
      Success at decode after 0.000 s, 1 attempt.

      #  begun    took     answer  bytes  connection
      1  0.000 s  0.000 s  200 OK  4
         307 Temporary Redirect led to PUT https://mocked.example/two
         303 See Other led to GET https://mocked.example/three
      """
    #expect("\(report)" == text)
    let hops = [
      "307 Temporary Redirect from PUT https://mocked.example/one to PUT https://mocked.example/two",
      "303 See Other from PUT https://mocked.example/two to GET https://mocked.example/three",
    ]
    #expect(report.attempts.flatMap(\.redirects).map(\.description) == hops)
    let read = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    #expect("\(read)" == text && read.attempts.flatMap(\.redirects).map(\.description) == hops)
    #expect(read.attempts.first?.redirects == report.attempts.first?.redirects)
  }
}

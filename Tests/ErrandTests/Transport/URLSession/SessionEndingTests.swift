import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandURLSession

/// Outcomes of a session that are easily mistaken for other outcomes.
@Suite("URLSession: how a transfer ends", .timeLimit(.minutes(5)))
struct SessionEndingTests {
  private let lease = SessionLease(URLSessionConfiguration.ephemeral.forOneTransport(), onChallenge: nil)

  /// The tests deliver the later events.
  private func exchange(status: Int?, _ body: String = "") async throws -> URLSessionExchange {
    let url = try #require(URL(string: "https://a.example/"))
    let request = TransportRequest(HTTPRequest(url: url))
    let exchange = URLSessionExchange(request, upload: .none, lease: lease)
    let response = try status.map { status in
      try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: [:]))
    }
    lease.queue.sync {
      if let response { exchange.take(response) }
      if !body.isEmpty { exchange.take(Data(body.utf8)) }
    }
    return exchange
  }

  private func outcome(of exchange: URLSessionExchange) async -> String {
    do {
      let head = try await exchange.head()
      var body = Data()
      while let chunk = try await exchange.nextChunk() { body += chunk }
      return "\(head.status.code) \(String(decoding: body, as: UTF8.self))"
    } catch let error as TransportError {
      return "\(error.kind.name): \(error.clause)"
    } catch {
      return "\(error)"
    }
  }

  private static let trust = "NSURLAuthenticationMethodServerTrust"

  @Test(
    "A truncated body is no success after an earlier challenge, for the certificate or a password",
    arguments: [trust, NSURLAuthenticationMethodHTTPBasic])
  func cut(_ method: String) async throws {
    let exchange = try await exchange(status: 200, "hel")
    lease.queue.sync {
      exchange.noteChallenge(method)
      exchange.complete(URLError(.networkConnectionLost))
    }
    let error =
      "connectionLost: the connection to a.example:443 broke while the response was received (code -1005)"
    #expect(await outcome(of: exchange) == error)
  }

  @Test(
    "An unanswered password challenge leaves the 401 unchanged",
    arguments: [URLError.Code.cancelled, .userCancelledAuthentication])
  func declined(_ code: URLError.Code) async throws {
    let exchange = try await exchange(status: 401, "who?")
    lease.queue.sync {
      exchange.noteChallenge(NSURLAuthenticationMethodHTTPBasic)
      exchange.complete(URLError(code))
    }
    #expect(await outcome(of: exchange) == "401 who?")
  }

  @Test("A certificate refused by the app is a TLS failure, and a cancellation is a cancellation")
  func pinned() async throws {
    let refused = try await exchange(status: nil)
    lease.queue.sync {
      refused.noteChallenge(Self.trust)
      refused.complete(URLError(.cancelled))
    }
    #expect(
      await outcome(of: refused)
        == "secureConnectionFailed: the app refused the certificate of a.example:443, or provided no client certificate for a.example:443"
    )
    let cancelled = try await exchange(status: nil)
    cancelled.stop()
    lease.queue.sync {
      cancelled.noteChallenge(Self.trust)
      cancelled.complete(URLError(.cancelled))
    }
    #expect(await outcome(of: cancelled) == "cancelled: the request was cancelled (code -999)")
  }

  @Test("A transfer without a response is an error, and no endless wait")
  func silent() async throws {
    let exchange = try await exchange(status: nil)
    lease.queue.sync { exchange.complete(nil) }
    let error = "invalidResponse: the system reported no final response from a.example:443"
    #expect(await outcome(of: exchange) == error)
  }

  @Test("An informational response is not the final one")
  func hints() async throws {
    let early = try await exchange(status: 103)
    let url = try #require(URL(string: "https://a.example/"))
    let final = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:]))
    lease.queue.sync {
      early.take(final)
      early.take(Data("hi".utf8))
      early.complete(nil)
    }
    #expect(await outcome(of: early) == "200 hi")
    let alone = try await exchange(status: 103, "hi")
    let error = "invalidResponse: the system reported no final response from a.example:443"
    #expect(await outcome(of: alone) == error)
  }

  @Test(
    "A redirect without a target, and a redirect to an invalid URL, are handled over a socket",
    arguments: ["", "Location: http://[::1\r\n"])
  func nowhere(_ field: String) async throws {
    let server = try MockServer()
    server.route(
      .get, "/", answers: .raw(.send("HTTP/1.1 302 Found\r\n\(field)Content-Length: 0\r\n\r\n"), .close))
    let agent = RequestAgent(baseURL: server.baseURL, transport: URLSessionTransport())
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("")) }
    #expect([.status, .invalidResponse, .redirect].contains(error.kind), "\(error)")
  }

  @Test("The timeout continues after a wait for a network")
  func waited() async throws {
    let server = try MockServer()
    server.route(.get, "/", answers: .text("late").delayed(by: .seconds(3600)))
    let url = try #require(URL(string: server.baseURL.absoluteString))
    let request = TransportRequest(HTTPRequest(url: url), timeout: .milliseconds(100))
    let exchange = URLSessionExchange(request, upload: .none, lease: lease)
    exchange.start()
    lease.queue.async { exchange.waitForConnectivity() }
    let outcome = await outcome(of: exchange)
    #expect(outcome == "timedOut: no byte was sent or received for 0.1 s")
  }

  @Test("Requests that a session would change are refused")
  func refused() async throws {
    let get = HTTPRequest(
      url: try #require(URL(string: "http://127.0.0.1:1/")), method: HTTPMethod("get"), body: .text("a"))
    let user = HTTPRequest(url: try #require(URL(string: "http://a:b@127.0.0.1:1/")))
    for (request, kind) in [(get, RequestError.Kind.unsupported), (user, .invalidURL)] {
      let error = await #expect(throws: TransportError.self) {
        _ = try await URLSessionTransport().send(TransportRequest(request))
      }
      #expect(error?.kind == kind)
    }
  }
}

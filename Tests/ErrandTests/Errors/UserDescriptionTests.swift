import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Texts of errors for users")
struct UserDescriptionTests {
  private static let request = HTTPRequest(url: URL(string: "https://api.example.com/users/7?token=abc")!)

  private static func text(
    _ kind: RequestError.Kind, status: HTTPResponse.Status? = nil, cause: (any Error)? = nil
  ) -> String {
    let response = status.map { HTTPResponse(status: $0, body: Data("canary-body".utf8)) }
    return RequestError(
      kind, "canary-reason https://api.example.com", stage: .transport, request: request, response: response,
      cause: cause
    ).userDescription
  }

  static let kinds: [(RequestError.Kind, String)] = [
    (.invalidURL, "The request could not be made."), (.encoding, "The request could not be made."),
    (.nameNotResolved, "The server could not be reached. Check the connection."),
    (.connectionFailed, "The server could not be reached. Check the connection."),
    (.connectionLost, "The connection was lost. Try again."),
    (.secureConnectionFailed, "No secure connection to the server could be made."),
    (.timedOut, "The server took too long. Try again later."),
    (.deadlineExceeded, "The server took too long. Try again later."),
    (.circuitOpen, "The server has a problem. Try again later."),
    (.queueFull, "Too many requests are running. Try again later."),
    (.drained, "The request could not be made."),
    (.decoding, "The server's answer could not be read."),
    (.jsonShape, "The server's answer could not be read."),
    (.authentication, "The sign-in failed."), (.file, "A file could not be read or written."),
    (.notCached, "No stored data is available."),
    (.cancelled, "The request was cancelled."),
    (RequestError.Kind("house"), "The request failed."),
  ]

  @Test("Each kind has a sentence without the URL, the reason and the body", arguments: kinds)
  func kind(_ row: (kind: RequestError.Kind, text: String)) {
    #expect(Self.text(row.kind, status: 200) == row.text)
  }

  static let statuses: [(Int, String)] = [
    (401, "A sign-in is needed (status 401)."), (403, "The action is not allowed (status 403)."),
    (404, "The requested data was not found (status 404)."),
    (410, "The requested data was not found (status 410)."),
    (409, "The data was changed meanwhile (status 409)."),
    (413, "The data is too large for the server (status 413)."),
    (422, "The server refused the request (status 422)."),
    (429, "The server asks to try again later (status 429)."),
    (503, "The server has a problem. Try again later (status 503)."),
    (302, "The server refused the request (status 302)."),
  ]

  @Test("A status has a sentence", arguments: statuses)
  func status(_ row: (code: Int, text: String)) {
    #expect(Self.text(.status, status: HTTPResponse.Status(row.code)) == row.text)
  }

  @Test("localizedDescription has the same text, also for a dispatch's thrown error")
  func localized() async throws {
    let agent = RequestAgent.mocked(Stub(.get, "/a", answers: .text("canary-body", status: 404)))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("a?key=canary")) }
    #expect(error.localizedDescription == "The requested data was not found (status 404).")
    #expect((error as any Error).localizedDescription == error.userDescription)
  }

  @Test("An app's own error supplies its description if available, with redacted secrets")
  func own() {
    struct Sold: LocalizedError {
      var text: String?
      var errorDescription: String? { text }
    }
    #expect(Self.text(.hook, cause: Sold(text: "It is sold.")) == "It is sold.")
    #expect(Self.text(.validation, cause: Sold(text: "It is sold.")) == "It is sold.")
    #expect(Self.text(RequestError.Kind("house"), cause: Sold(text: "It is sold.")) == "It is sold.")
    #expect(Self.text(.hook, cause: Sold(text: nil)) == "The request failed.")
    #expect(Self.text(.hook, cause: Sold(text: "")) == "The request failed.")
    #expect(Self.text(.transport, cause: Sold(text: "It is sold.")) == "The transfer failed. Try again.")
    let told = Self.text(.hook, cause: Sold(text: "see https://a.example/?token=abc"))
    #expect(told == "see https://a.example/?token=<redacted>")
    let nested = RequestError(.timedOut, "canary", stage: .transport)
    #expect(Self.text(.hook, cause: nested) == "The request failed.")
  }

  @Test("A renewal that fails without a connection reads as a missing connection, not as a failed sign-in")
  func offlineRenewal() async throws {
    for (failure, text) in [
      (
        TransportError(.connectionFailed, "no network"),
        "The server could not be reached. Check the connection."
      ),
      (TransportError(.timedOut, "slow"), "The server took too long. Try again later."),
      (TransportError(.invalidResponse, "garbage"), "The sign-in failed."),
    ] {
      var configuration = AgentConfiguration()
      configuration.authenticator = BearerAuthenticator(nil) { _, context in
        try await context.send(OneOffRequest.post("token").with(\.authentication, .none))
        return BearerAuthenticator.Credential(accessToken: "t")
      }
      let agent = RequestAgent(
        baseURL: "https://api.example", transport: FunctionTransport { _, _ in throw failure },
        configuration: configuration)
      let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
      #expect(error.kind == .authentication && error.userDescription == text)
      #expect(error.localizedDescription == text)
    }
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("The text of an error")
struct RequestErrorTests {
  static let request = HTTPRequest(
    url: URL(string: "https://api.example.com/users/7?page=2")!, headers: ["Accept": "application/json"])

  static func error(
    _ kind: RequestError.Kind, _ reason: String, _ stage: Stage, _ response: HTTPResponse? = nil
  ) -> RequestError {
    RequestError(
      kind, reason, stage: stage, request: request, response: response, attempts: 1,
      elapsed: .milliseconds(42))
  }

  @Test("A refused status names the received response, and gives advice")
  func status() {
    let response = HTTPResponse(
      status: 503, headers: ["Content-Type": "text/plain"], body: Data("try again in a minute".utf8))
    var error = Self.error(.status, "status 503 Service Unavailable is not in 200..<300", .validate, response)
    error.attempts = 3
    error.elapsed = .milliseconds(4210)
    #expect(
      error.description == """
        GET https://api.example.com/users/7?page=2 failed: status 503 Service Unavailable is not in 200..<300.
        Stage validate, attempt 3, after 4.210 s.
        Response: 503 Service Unavailable, text/plain, 21 bytes: "try again in a minute"
        Try: 3 attempts were not enough; wait longer between them, or come back later.
        """)
  }

  @Test("A failure without a response has no response line")
  func connection() {
    #expect(
      Self.error(.connectionFailed, "the connection was refused", .transport).description == """
        GET https://api.example.com/users/7?page=2 failed: the connection was refused.
        Stage transport, attempt 1, after 0.042 s.
        Try: Check that the server runs and that the host and port are right.
        """)
  }

  @Test("A failure before the request was built names no request")
  func build() {
    let error = RequestError(
      .invalidURL, "there is no base URL for the path \"x\"", stage: .build, attempts: 1)
    #expect(
      error.description == """
        The request failed: there is no base URL for the path "x".
        Stage build, attempt 1, after 0.000 s.
        Try: Check baseURL of the request and of the agent, and the path.
        """)
  }

  static let advice: [(Int, String?)] = [
    (302, "The redirect has no Location header."),
    (304, nil),
    (401, "Send credentials with an Authorization header or an authenticator."),
    (403, "The server denies access. Check the permissions of the credentials."),
    (404, "Check the base URL and the path above."),
    (418, nil),
    (
      429,
      "The server asks for a later retry. A retryPolicy such as .upTo(2) waits as long as the server asks."
    ),
    (500, "The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again."),
    (501, "The server does not support the request, so a retry would fail too."),
  ]

  @Test("The advice fits the status", arguments: advice)
  func hints(_ row: (Int, String?)) {
    let error = Self.error(.status, "no", .validate, HTTPResponse(status: HTTPResponse.Status(row.0)))
    #expect(error.hint == row.1)
  }

  @Test("The advice to retry names the requirements of a method that is not idempotent")
  func unsafeHints() {
    let advice = [429, 503].map { status in
      var error = Self.error(.status, "no", .validate, HTTPResponse(status: HTTPResponse.Status(status)))
      error.request?.method = .post
      return error.hint
    }
    #expect(
      advice == [
        "The server asks for a later retry. A retryPolicy such as .upTo(2) waits as long as the server asks; for POST the "
          + "retry needs an idempotencyKey or retriesUnsafeMethods.",
        "The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again; for POST the retry needs "
          + "an idempotencyKey or retriesUnsafeMethods.",
      ])
  }

  @Test("If credentials were sent, the advice does not suggest sending credentials")
  func refusedCredentials() {
    var error = Self.error(.status, "no", .validate, HTTPResponse(status: 401))
    error.request?.headers = ["authorization": "Bearer t"]
    #expect(
      error.hint
        == "The server refused the Authorization header. Check the credentials and their expiry.")
  }

  @Test("The excerpt of a body is cut after 200 characters")
  func excerpt() {
    let response = HTTPResponse(status: 418, body: Data(String(repeating: "e", count: 300).utf8))
    #expect(
      Self.error(.status, "no", .validate, response).description.contains(
        "Response: 418, 300 bytes: \"\(String(repeating: "e", count: 200))…\""))
  }

  @Test("dump and the debug description are equal, and localizedDescription is for users")
  func printed() {
    let error = Self.error(.timedOut, "no byte came", .transport)
    var dumped = ""
    dump(error, to: &dumped)
    #expect(error.debugDescription == error.description)
    #expect(error.localizedDescription == "The server took too long. Try again later.")
    for line in error.description.split(separator: "\n") { #expect(dumped.contains(line)) }
  }

  @Test("The cause is found as the thrown type, through nested errors")
  func cause() {
    struct AppError: Error, Equatable { var code: Int }
    let inner = RequestError(.hook, "inner", cause: AppError(code: 1001))
    let outer = RequestError(.hook, "outer", cause: inner)
    #expect(inner.cause(as: AppError.self) == AppError(code: 1001))
    #expect(outer.cause(as: AppError.self) == AppError(code: 1001))
    #expect(outer.cause(as: RequestError.self)?.reason == "inner")
    #expect(outer.cause(as: TransportError.self) == nil)
  }

  @Test("The predicates distinguish the kinds")
  func predicates() {
    let kinds: [RequestError.Kind] = [.cancelled, .timedOut, .connectionLost, .status]
    let errors = kinds.map { RequestError($0, "") }
    #expect(errors.map(\.isCancelled) == [true, false, false, false])
    #expect(errors.map(\.isTimeout) == [false, true, false, false])
    #expect(errors.map(\.isConnectionFailure) == [false, true, true, false])
  }
}

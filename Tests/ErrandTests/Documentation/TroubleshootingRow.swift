#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// A heading of Troubleshooting, and how its message comes about.
struct TroubleshootingRow: Sendable, CustomTestStringConvertible {
  /// In the order of the article.
  static let all = beforeSending + connecting + limits + answers + tests + compiler

  let message: String
  /// Whether the message is all that is said; a compiler says more.
  var isExact = true
  let produce: @Sendable () async throws -> String

  var testDescription: String { message }

  /// The reason of the error that a dispatch ends with, without libcurl's number.
  static func failure<R: Request>(
    _ message: String, _ request: R, on agent: @escaping @Sendable () throws -> RequestAgent
  ) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let agent = try agent()
      let error = await #expect(throws: RequestError.self) { _ = try await agent.send(request) }
      let reason = error?.reason ?? ""
      // What the library of TLS says stands in brackets, and differs by version.
      let text = error?.kind == .secureConnectionFailed ? reason.replacing(#/ \(.*/#, with: "") : reason
      return text.replacing(#/ \(code \d+\)$/#, with: "")
    }
  }

  /// The same of a GET of `users/7` with an answer from memory.
  static func mocked(_ message: String, _ answer: MockAnswer) -> TroubleshootingRow {
    failure(message, OneOffRequest.get("users/7", as: Person.self)) {
      .mocked(Stub(nil, "/users/7", answers: answer))
    }
  }

  /// The same with an answer over a real socket.
  static func served(_ message: String, _ answer: MockAnswer) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let server = try MockServer()
      server.route(.get, "/users/7", answers: answer)
      let row = failure(message, OneOffRequest.get("users/7", as: Person.self)) {
        RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
      }
      return try await row.produce().replacing(":\(server.port)", with: ":8080")
    }
  }

  /// The same over https from a server that sends some bytes to whoever connects.
  static func secure(_ message: String, _ bytes: [UInt8]) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let server = RawServer { connection in
        connection.send(Data(bytes))
        connection.waitForClose()
      }
      let row = failure(message, OneOffRequest.get("users/7", as: Person.self)) {
        RequestAgent(baseURL: "https://127.0.0.1:\(server.port)", transport: CurlTransport())
      }
      return try await row.produce().replacing(":\(server.port)", with: ":8080")
    }
  }

  struct Person: Decodable, Sendable {
    var id: Int
    var name: String
  }
}
#endif

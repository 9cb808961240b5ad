#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// A heading of Troubleshooting, and an operation that produces the message.
struct TroubleshootingRow: Sendable, CustomTestStringConvertible {
  static let all = beforeSending + connecting + limits + answers + tests + compiler

  let message: String
  /// Compiler output contains more than the message.
  var isExact = true
  let produce: @Sendable () async throws -> String

  var testDescription: String { message }

  /// Without libcurl's code.
  static func failure<R: Request>(
    _ message: String, _ request: R, on agent: @escaping @Sendable () throws -> RequestAgent
  ) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let agent = try agent()
      let error = await #expect(throws: RequestError.self) { _ = try await agent.send(request) }
      let reason = error?.reason ?? ""
      // The text of the TLS library is in brackets, and differs by version.
      let text = error?.kind == .secureConnectionFailed ? reason.replacing(#/ \(.*/#, with: "") : reason
      return text.replacing(#/ \(code \d+\)$/#, with: "")
    }
  }

  static func mocked(_ message: String, _ answer: MockAnswer) -> TroubleshootingRow {
    failure(message, OneOffRequest.get("users/7", as: Person.self)) {
      .mocked(Stub(nil, "/users/7", answers: answer))
    }
  }

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

#if os(Linux)
import Errand
import ErrandMocks
import Foundation
import Testing

extension TroubleshootingRow {
  private static let other = Stub(.get, "/users/7", answers: .status(200))

  static let tests = [
    TroubleshootingRow(message: "no stub answers GET https://mocked.example/users/8", isExact: false) {
      try await failure("", OneOffRequest.get("users/8")) { .mocked(other) }.produce()
    },
    TroubleshootingRow(message: "1 stub was never used", isExact: false) {
      let error = #expect(throws: UnusedStubs.self) { try MockTransport([other]).checkAllUsed() }
      return error?.description ?? ""
    },
    TroubleshootingRow(message: "belongs to no mock", isExact: false) {
      let error = #expect(throws: UnexpectedCalls.self) { try Stub(.get, "/users/7").checkCalled(times: 0) }
      return error?.description ?? ""
    },
    TroubleshootingRow(
      message: "no entry of users.har answers GET https://api.example.com/users/8", isExact: false
    ) {
      try await replaying { transport in
        let agent = RequestAgent(baseURL: "https://api.example.com", transport: transport)
        return try await failure("", OneOffRequest.get("users/8")) { agent }.produce()
      }
    },
    TroubleshootingRow(message: "no request used these entries of users.har", isExact: false) {
      try await replaying { transport in
        let error = #expect(throws: TransportError.self) { try transport.checkAllUsed() }
        return error?.message ?? ""
      }
    },
    written(
      "no test is known for the request: the request was sent outside of every test's task",
      in: "Mocks/Testing/UnscopedRequest.swift"),
  ]

  /// In the source of a module that the tests do not import.
  private static func written(_ message: String, in file: String) -> TroubleshootingRow {
    TroubleshootingRow(message: message, isExact: false) {
      try String(contentsOf: Compiler.root.appendingPathComponent(file), encoding: .utf8)
    }
  }

  private static func replaying(
    _ operation: (RecordingTransport) async throws -> String
  ) async throws -> String {
    try await Compiler.inTemporaryFolder { folder in
      let file = folder.appendingPathComponent("users.har")
      let recorder = try RecordingTransport(file, mode: .recordAll, over: MockTransport([other]))
      try await RequestAgent(baseURL: "https://api.example.com", transport: recorder).send(.get("users/7"))
      try recorder.save()
      return try await operation(RecordingTransport(file, over: MockTransport([])))
    }
  }
}
#endif

#if os(Linux)
import Errand
import ErrandMocks
import Foundation
import Testing

/// The section about tests, in the order of its headings.
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
  ]
}
#endif

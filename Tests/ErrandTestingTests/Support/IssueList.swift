import Errand
import ErrandMocks
import Testing

@testable import ErrandTesting

/// Collects issues instead of reporting the issues to Swift Testing.
final class IssueList: Sendable {
  private let entries = Locked([String]())
  /// The scopes of this list only, independent of concurrent tests.
  private let running = RunningScopes()

  /// The issues, each with its source line in front.
  var texts: [String] { entries.withLock { $0 } }

  /// Runs an operation in a scope of stubs, as for a mocked test with the name and line.
  ///
  /// Then ends the scope.
  func mocking<Result>(
    _ stubs: Stub..., allUsed: Bool = false, as name: String = "Shop", line: Int = 1,
    operation: (MockScope) async throws -> Result
  ) async rethrows -> Result {
    let location = SourceLocation(
      __uncheckedFileID: "Shop/ShopTests.swift", filePath: "/Shop/ShopTests.swift", line: line, column: 1)
    let owner = MockOwner(.current, at: location, named: name) { text, location in
      self.entries.withLock { $0.append("\(location.line): \(text)") }
    }
    let scope = MockScope(stubs, of: owner, allUsed: allUsed, among: running)
    return try await scope.runToEnd { try await operation(scope) }
  }
}

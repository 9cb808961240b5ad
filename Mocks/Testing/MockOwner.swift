import Testing

/// Whose mocks they are, and where their issues go.
struct MockOwner: Sendable {
  /// The test's name and place, for messages.
  let name: String
  /// Of the trait, or of the call.
  let location: SourceLocation
  /// `nil` outside of Swift Testing.
  let test: Test?
  /// Takes issues; Swift Testing, but for tests of the issues themselves.
  let record: @Sendable (_ text: String, _ location: SourceLocation) -> Void

  init(
    _ test: Test?, at location: SourceLocation, named name: String? = nil,
    record: @escaping @Sendable (String, SourceLocation) -> Void = {
      Issue.record("\($0)", sourceLocation: $1)
    }
  ) {
    let place = test?.sourceLocation ?? location
    let title = test.map { "\"\($0.displayName ?? $0.name)\" " } ?? ""
    self.name = name ?? "\(title)(\(place.fileName):\(place.line))"
    self.location = location
    self.test = test
    self.record = record
  }

  /// Whether the running task is one of its test.
  var isCurrent: Bool { Test.current == test }

  /// Records an issue: on the test of the running task, on the run as a whole where there is none.
  func record(_ text: String) { record(text, location) }
}

import Testing

/// The test that owns a scope's mocks, and the destination of issues.
struct MockOwner: Sendable {
  /// The test's name and location, for messages.
  let name: String
  /// The location of the trait or the call.
  let location: SourceLocation
  /// The test; `nil` outside of Swift Testing.
  let test: Test?
  /// Records an issue in Swift Testing; replaced by tests of the issues.
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

  /// True if the running task belongs to the owner's test.
  var isCurrent: Bool { Test.current == test }

  /// Records an issue on the test of the running task, or on the run as a whole outside of a test.
  func record(_ text: String) { record(text, location) }
}

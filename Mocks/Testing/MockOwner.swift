import Testing

/// The owner of a scope's mocks: a test, or a `withMocks` call outside of a test.
struct MockOwner: Sendable {
  let name: String
  /// The trait or the `withMocks` call.
  let location: SourceLocation
  /// `nil` outside of a test's task.
  let test: Test?
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

  var isCurrent: Bool { Test.current == test }

  func record(_ text: String) { record(text, location) }
}

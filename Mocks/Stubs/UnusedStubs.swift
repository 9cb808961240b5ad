/// An error about stubs that have answered nothing: the test took another way than it says.
public struct UnusedStubs: Error, Sendable, CustomStringConvertible {
  /// The stubs, in their order.
  public let stubs: [Stub]

  /// Fails when there is one.
  static func check(_ stubs: [Stub]) throws {
    if !stubs.isEmpty { throw UnusedStubs(stubs: stubs) }
  }

  /// Each stub with the file and the line where it was written.
  ///
  /// ```
  /// 2 stubs were never used: GET /users/7 (UserTests.swift:12), POST /users (UserTests.swift:13)
  /// ```
  public var description: String {
    let subject = stubs.count == 1 ? "1 stub was" : "\(stubs.count) stubs were"
    return "\(subject) never used: \(stubs.map(\.description).joined(separator: ", "))"
  }
}

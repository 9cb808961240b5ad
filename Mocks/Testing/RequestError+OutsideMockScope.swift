public import Errand

extension RequestError.Kind {
  /// The request belongs to no mocked test that runs, and was not sent: it came from work that is detached from every
  /// test, or from a test that has ended.
  ///
  /// The reason names the tests; see ``MockScope``.
  public static let outsideMockScope = RequestError.Kind("outsideMockScope")
}

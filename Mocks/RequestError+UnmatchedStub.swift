public import Errand

extension RequestError.Kind {
  /// No stub of a ``MockTransport`` answers the request; the reason lists the stubs.
  public static let unmatchedStub = RequestError.Kind("unmatchedStub")
}

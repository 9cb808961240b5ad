public import Errand

extension RequestError.Kind {
  /// No stub of a ``MockTransport``, or no entry of a ``RecordingTransport``, answers the request; the reason names the
  /// nearest ones and what differs in each.
  public static let unmatchedStub = RequestError.Kind("unmatchedStub")

  /// A stub was to answer, but its value cannot be encoded; the reason says where it stands.
  public static let invalidStub = RequestError.Kind("invalidStub")
}

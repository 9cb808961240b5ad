/// How parameters are written.
public struct RequestSerializer: Sendable {
  /// Form.
  public static let form = RequestSerializer()
}

/// Judges the status.
public struct StatusValidator: ResponseValidator {
  let range: Range<Int>
}
extension ResponseValidator where Self == StatusValidator {
  /// Accepts the statuses in the range.
  public static func status(_ range: Range<Int>) -> StatusValidator { StatusValidator(range: range) }
}

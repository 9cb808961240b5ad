/// How much longer a text is compared with long values of which it has only the beginning.
///
/// A text of one letter begins a long value of that letter at each of its places, and each would be compared to the end:
/// a server that knows one could make every log of it slow. Whoever writes such a text has it hidden instead.
struct Patience {
  /// What is compared of a value without wearing it out.
  static let freeLength = 64

  private var left: Int

  /// For a text of that many bytes.
  init(length: Int) { left = max(1_000_000, length.multipliedReportingOverflow(by: 16).partialValue) }

  var isLost: Bool { left < 0 }

  /// Notes that so many bytes of a value were compared.
  mutating func wear(by count: Int) {
    if count > Self.freeLength { left -= count - Self.freeLength }
  }
}

import Foundation

/// Numbers as text, the same in JSON, forms and queries.
enum NumberText {
  /// The text of a number node; `nil` when it is not finite or no number.
  static func text(of node: Parameters.Node) -> String? {
    switch node {
    case .integer(let number): String(number)
    case .double(let number): text(of: number)
    case .decimal(let number): number.isFinite ? number.description : nil
    default: nil
    }
  }

  /// The fewest digits that read back as the same number; `2`, not `2.0`.
  private static func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Dates as text, the same in JSON, forms and queries.
enum DateText {
  /// RFC 3339 has four digits for a year, and texts of other lengths for none.
  private static let length = 20
  /// Far beyond every year that has a text, and not so far that a calendar is lost in it.
  private static let farthest = 1e12

  /// A text such as `2026-11-21T10:00:00Z`.
  static func iso8601(_ date: Date, key: @autoclosure () -> String) throws(Refusal) -> String {
    // A date that is no number is not within, either.
    guard abs(date.timeIntervalSince1970) < farthest else { throw ParameterLimits.dateless(key()) }
    let text = date.formatted(.iso8601)
    guard text.utf8.count == length, text.utf8.first != UInt8(ascii: "-") else {
      throw ParameterLimits.dateless(key())
    }
    return text
  }
}

/// What parameters may not be.
enum ParameterLimits {
  /// Levels of nesting: what JSON parsers take, and far from the end of the stack.
  static let depth = 512

  static let tooDeep = Refusal("the parameters are nested deeper than \(depth) levels", kind: .encoding)

  static func misplacedFile(_ key: String, _ place: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is a file, which \(place) cannot hold: files are sent as parts of a form, by "
        + "methods with a body and the serializer .form or .multipart", kind: .encoding)
  }

  static func notFinite(_ key: String) -> Refusal {
    Refusal("the parameter \(key.debugDescription) is infinite or not a number", kind: .encoding)
  }
  static func dateless(_ key: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is a date that has no text: it is not in the years 1 to 9999",
      kind: .encoding)
  }

  static func unwritable(_ key: String, _ error: any Error) -> Refusal {
    let reason = (error as? EncodingError)?.clause ?? "\(error)"
    return Refusal(
      "the parameter \(key.debugDescription) cannot be written: \(reason)", kind: .encoding, cause: error)
  }

  static func repeated(_ key: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is there twice, which JSON refuses, as readers disagree on which one counts: send a "
        + "list, set it once, or use the serializer .form", kind: .encoding)
  }

  /// A key with those within it, as messages name it.
  static func name(_ path: some Collection<String>) -> String {
    (path.first ?? "") + path.dropFirst().map { "[\($0)]" }.joined()
  }
}

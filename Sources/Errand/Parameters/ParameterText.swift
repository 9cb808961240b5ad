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
  /// RFC 3339 has four digits for a year, from 0000 to 9999: seconds since 1970.
  private static let range = -62_167_219_200.0..<253_402_300_800
  /// The calendar repeats itself after 400 years.
  private static let cycle = 146_097.0 * 86_400

  /// A text such as `2026-11-21T10:00:00Z`, by the Gregorian calendar in all years, as RFC 3339 has it.
  static func iso8601(_ date: Date, key: @autoclosure () -> String) throws(Refusal) -> String {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    // A date that is no number is not within, either.
    guard range.contains(seconds) else { throw ParameterLimits.dateless(key()) }
    // Foundation goes over to the Julian calendar in 1582, so it is asked for a year that is like an early one.
    let cycles = seconds < 0 ? 5.0 : 0
    let text = Date(timeIntervalSince1970: seconds + cycles * cycle).formatted(.iso8601)
    guard cycles > 0, let year = Int(text.prefix(4)) else { return text }
    let digits = String(year - 2_000)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + text.dropFirst(4)
  }
}

/// What parameters may not be.
enum ParameterLimits {
  /// Levels of nesting: what JSON parsers take.
  static let depth = 512

  static let tooDeep = Refusal("the parameters are nested deeper than \(depth) levels", kind: .encoding)

  static let stack = Refusal(
    "the parameters are nested deeper than this thread's stack has room for", kind: .encoding)

  static func emptyCase(_ key: String, of type: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is an object with nothing in it, which only JSON has a text for: give the enum \(type) "
        + "a raw type, as in enum \(type): String, or write its encode(to:)", kind: .encoding)
  }

  static func misplacedFile(_ key: String, in place: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is a file, which \(place) cannot hold: files are sent as parts of a form, by "
        + "methods with a body and the serializer .form or .multipart", kind: .encoding)
  }

  static func bareURL(_ key: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is the URL of a file, and would be sent as text: write .file(url) to send the file, or "
        + "url.path to send its path", kind: .encoding)
  }

  static func notFinite(_ key: String) -> Refusal {
    Refusal("the parameter \(key.debugDescription) is infinite or not a number", kind: .encoding)
  }
  static func dateless(_ key: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is a date that has no text: it is not in the years 0 to 9999",
      kind: .encoding)
  }

  static func unwritable(_ key: String, because error: any Error) -> Refusal {
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

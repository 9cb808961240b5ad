import Foundation

enum NumberText {
  static func text(of node: Parameters.Node) -> String? {
    switch node {
    case .integer(let number): String(number)
    case .double(let number): text(of: number)
    case .decimal(let number): number.isFinite ? number.description : nil
    default: nil
    }
  }

  private static func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

enum DateText {
  /// The years 0 to 9999 in seconds since 1970, because RFC 3339 requires four digits.
  private static let range = -62_167_219_200.0..<253_402_300_800
  /// 400 years in seconds, the period of the Gregorian calendar.
  private static let cycle = 146_097.0 * 86_400

  /// Returns text such as `2026-11-21T10:00:00Z` (RFC 3339).
  static func iso8601(_ date: Date, key: @autoclosure () -> String) throws(Refusal) -> String {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard range.contains(seconds) else { throw ParameterLimits.dateless(key()) }
    // Foundation uses the Julian calendar before 1582. A date before 1970 is therefore formatted 2,000 years
    // later, and the year is corrected.
    let cycles = seconds < 0 ? 5.0 : 0
    let text = Date(timeIntervalSince1970: seconds + cycles * cycle).formatted(.iso8601)
    guard cycles > 0, let year = Int(text.prefix(4)) else { return text }
    let digits = String(year - 2_000)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + text.dropFirst(4)
  }
}

enum ParameterLimits {
  static let depth = 512

  static let tooDeep = Refusal("the parameters are nested deeper than \(depth) levels", kind: .encoding)

  static let stack = Refusal(
    "the parameters are nested too deeply for the stack of this thread", kind: .encoding)

  static func emptyCase(_ key: String, of type: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is an empty object, which only JSON can represent: give the enum \(type) "
        + "a raw type, as in enum \(type): String, or implement encode(to:)", kind: .encoding)
  }

  static func misplacedFile(_ key: String, in place: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is a file, which \(place) cannot contain: use a method with a body, and the "
        + "serializer .form or .multipart", kind: .encoding)
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
      "the parameter \(key.debugDescription) is a date outside the years 0 to 9999",
      kind: .encoding)
  }

  static func unwritable(_ key: String, because error: any Error) -> Refusal {
    let reason = (error as? EncodingError)?.clause ?? "\(error)"
    return Refusal(
      "the parameter \(key.debugDescription) cannot be written: \(reason)", kind: .encoding, cause: error)
  }

  static func repeated(_ key: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is set twice, and JSON readers disagree about repeated names: send a "
        + "list, set the parameter once, or use the serializer .form", kind: .encoding)
  }

  static func name(_ path: some Collection<String>) -> String {
    (path.first ?? "") + path.dropFirst().map { "[\($0)]" }.joined()
  }
}

public import Errand
import Foundation

/// A pattern for a text in a condition of a ``Stub`` or for a host of a `PassThrough`.
///
///     Stub(.get, "/users").header("Accept", .contains("json")).query("page", .matching("^[0-9]+$"))
///
/// A string literal is the exact text. An array literal is a list of alternatives.
public struct TextPattern: Sendable, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
  private indirect enum Form: Sendable {
    case any
    case equal(String)
    case contains(String)
    case prefix(String)
    case suffix(String)
    case caseless(String)
    case expression(RegularExpression)
    case anyOf([TextPattern])
    case allOf([TextPattern])
    case not(TextPattern)
  }

  private let form: Form

  /// Creates a pattern for an exact text.
  public init(stringLiteral value: String) { self.init(.equal(value)) }

  /// Creates a pattern from alternatives.
  public init(arrayLiteral elements: TextPattern...) { self.init(.anyOf(elements)) }

  private init(_ form: Form) { self.form = form }

  /// Any text, including the empty text.
  public static let any = TextPattern(.any)

  /// Matches this text, compared by bytes.
  public static func equal(_ text: String) -> TextPattern { TextPattern(.equal(text)) }

  /// Matches a text with the same lowercase form, independent of the locale.
  public static func equalIgnoringCase(_ text: String) -> TextPattern { TextPattern(.caseless(text)) }

  /// Matches a text that contains a substring, compared by bytes.
  public static func contains(_ text: String) -> TextPattern { TextPattern(.contains(text)) }

  /// Matches a text with a prefix, compared by bytes.
  public static func prefix(_ text: String) -> TextPattern { TextPattern(.prefix(text)) }

  /// Matches a text with a suffix, compared by bytes.
  public static func suffix(_ text: String) -> TextPattern { TextPattern(.suffix(text)) }

  /// Matches a text that contains a match of a regular expression.
  ///
  /// For the syntax, see `NSRegularExpression`. Use `^` and `\z` to match the whole text.
  ///
  /// A malformed expression matches no text, and neither does its negation by ``not(_:)``. A search without a
  /// match that takes more than 250 ms or too much memory is treated like a malformed expression.
  public static func matching(_ expression: String) -> TextPattern {
    matching(expression, within: .milliseconds(250))
  }

  package static func matching(_ expression: String, within limit: Duration) -> TextPattern {
    TextPattern(.expression(RegularExpression(expression, limit: limit)))
  }

  /// Matches a text that matches at least one of several patterns.
  public static func anyOf(_ patterns: TextPattern...) -> TextPattern { TextPattern(.anyOf(patterns)) }

  /// Matches a text that matches all of several patterns.
  public static func allOf(_ patterns: TextPattern...) -> TextPattern { TextPattern(.allOf(patterns)) }

  /// Matches a text that does not match a pattern.
  ///
  /// An absent header field, query item or cookie does not match.
  public static func not(_ pattern: TextPattern) -> TextPattern { TextPattern(.not(pattern)) }
}

extension TextPattern: PrintedByDescription {
  /// The expected text in words, with secrets hidden.
  public var description: String { words { text, _ in Redaction.standard.text(text) }.printed }
}

extension TextPattern {
  func matches(_ text: String) -> Bool { verdict(on: text) == .match }

  /// Returns the reason why a text cannot be compared with the pattern; `nil`: no reason.
  func problem(with texts: [String], _ write: (String) -> String) -> String? {
    // Without texts, the pattern is tried on an empty text, which may reveal a malformed expression.
    for text in texts.isEmpty ? [""] : texts {
      guard case .problem(let words, let malformed) = verdict(on: text) else { continue }
      return malformed.map { "\(words): \(write($0))" } ?? words
    }
    return nil
  }

  private func verdict(on text: String) -> TextVerdict {
    switch form {
    case .any: TextVerdict(true)
    case .equal(let wanted): TextVerdict(text.isWritten(as: wanted))
    case .contains(let wanted): TextVerdict(text.has(wanted))
    case .prefix(let wanted): TextVerdict(text.begins(with: wanted))
    case .suffix(let wanted): TextVerdict(text.ends(with: wanted))
    case .caseless(let wanted): TextVerdict(text.lowercased().isWritten(as: wanted.lowercased()))
    case .expression(let expression): expression.verdict(on: text)
    case .anyOf(let patterns): Self.verdict(of: patterns, on: text, until: .match)
    case .allOf(let patterns): Self.verdict(of: patterns, on: text, until: .mismatch)
    case .not(let pattern): pattern.verdict(on: text).negated
    }
  }

  /// Returns `enough` if a pattern has this verdict.
  ///
  /// Otherwise returns the first problem; without a problem, the opposite of `enough`.
  private static func verdict(
    of patterns: [TextPattern], on text: String, until enough: TextVerdict
  ) -> TextVerdict {
    var verdict = enough.negated
    for pattern in patterns {
      let own = pattern.verdict(on: text)
      if own == enough { return enough }
      if case .problem = own, verdict == enough.negated { verdict = own }
    }
    return verdict
  }

  /// Describes the expected text; `isStart` is true for an exact text and for a prefix.
  func words(_ write: (_ text: String, _ isStart: Bool) -> String) -> String {
    switch form {
    case .any: "any text"
    case .equal(let text): write(text, true)
    case .contains(let text): "a text that contains \(write(text, false))"
    case .prefix(let text): "a text that begins with \(write(text, true))"
    case .suffix(let text): "a text that ends with \(write(text, false))"
    case .caseless(let text): "\(write(text, false)) in any letter case"
    case .expression(let expression): "a text that matches \(write(expression.text, false))"
    case .anyOf(let patterns): patterns.map { $0.words(write) }.joined(separator: " or ")
    case .allOf(let patterns): patterns.map { $0.words(write) }.joined(separator: " and ")
    case .not(let pattern): "anything but \(pattern.words(write))"
    }
  }
}

private enum TextVerdict: Equatable {
  case match, mismatch
  /// The reason why no comparison is possible, and the malformed regular expression, if any.
  case problem(String, malformed: String? = nil)

  init(_ isMatch: Bool) { self = isMatch ? .match : .mismatch }

  var negated: TextVerdict {
    switch self {
    case .match: .mismatch
    case .mismatch: .match
    case .problem: self
    }
  }
}

private final class RegularExpression: Sendable {
  let text: String
  private let limit: Duration
  private let compiled: NSRegularExpression?

  init(_ text: String, limit: Duration) {
    (self.text, self.limit) = (text, limit)
    compiled = try? NSRegularExpression(pattern: text)
  }

  func verdict(on text: String) -> TextVerdict {
    guard let compiled else {
      return .problem("the stub's regular expression is malformed", malformed: self.text)
    }
    let start = ContinuousClock.now
    var (isFound, isLate, hasFailed) = (false, false, false)
    // Unlike `firstMatch`, `enumerateMatches` reports progress during the search, and internal errors.
    compiled.enumerateMatches(
      in: text, options: [.reportProgress, .reportCompletion],
      range: NSRange(location: 0, length: text.utf16.count)
    ) { match, flags, stop in
      isFound = isFound || match != nil
      hasFailed = hasFailed || flags.contains(.internalError)
      isLate = !isFound && ContinuousClock.now - start > self.limit
      if isFound || isLate { stop.pointee = true }
    }
    if isFound { return .match }
    // A slow search may also end without a report.
    if isLate || ContinuousClock.now - start > limit {
      return .problem("the stub's regular expression did not finish within \(limit)")
    }
    guard hasFailed else { return .mismatch }
    let length = "\(text.utf8.count) bytes"
    return .problem("the stub's regular expression needs too much memory for a text of \(length)")
  }
}

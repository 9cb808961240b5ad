public import Errand
import Foundation

/// What a text must be: equal to another, with something in it, of a regular expression; for the conditions of a ``Stub``.
///
///     Stub(.get, "/users").header("Accept", .contains("json")).query("page", .matching("^[0-9]+$"))
///     Stub(.post, "/users").cookie("session", .not("")).body(.prefix("name="))
///
/// A literal is the text it must equal, also one with a variable in it, `"Bearer \(token)"`; a literal of an array is one of several:
/// `["a", "b"]`.
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

  /// The text that it must equal.
  public init(stringLiteral value: String) { self.init(.equal(value)) }

  /// The patterns of which it must match one.
  public init(arrayLiteral elements: TextPattern...) { self.init(.anyOf(elements)) }

  private init(_ form: Form) { self.form = form }

  /// Any text, also an empty one.
  public static let any = TextPattern(.any)

  /// This text, compared exactly, to the last byte: a precomposed `é` is not an `e` with an accent.
  public static func equal(_ text: String) -> TextPattern { TextPattern(.equal(text)) }

  /// This text in any case, compared as it is in no language.
  public static func equalIgnoringCase(_ text: String) -> TextPattern { TextPattern(.caseless(text)) }

  /// A text with this one in it, compared by bytes as in the following ones: a line feed is in CR LF.
  public static func contains(_ text: String) -> TextPattern { TextPattern(.contains(text)) }

  /// A text that begins with this one.
  public static func prefix(_ text: String) -> TextPattern { TextPattern(.prefix(text)) }

  /// A text that ends with this one.
  public static func suffix(_ text: String) -> TextPattern { TextPattern(.suffix(text)) }

  /// A text with a match of a regular expression anywhere in it; `^` and `$` are its ends, to ask for the whole text.
  ///
  /// The syntax is that of `NSRegularExpression`. A malformed one matches nothing, and messages say why. One that goes on
  /// for longer than a quarter of a second matches nothing, and messages say so: repetitions inside of repetitions take for ever on
  /// some texts. Nor does one that needs more memory for a text than the library gives it, such as `^(a|b)*$` for 200 KB. Within
  /// ``not(_:)`` such a text does not match either, as nobody knows; other texts are compared as ever.
  public static func matching(_ expression: String) -> TextPattern {
    // Foundation ends it after about a second by itself, and calls that no match.
    matching(expression, within: .milliseconds(250))
  }

  /// The same with another limit of time, for tests.
  package static func matching(_ expression: String, within limit: Duration) -> TextPattern {
    TextPattern(.expression(RegularExpression(expression, limit: limit)))
  }

  /// A text that matches one of several patterns.
  public static func anyOf(_ patterns: TextPattern...) -> TextPattern { TextPattern(.anyOf(patterns)) }

  /// A text that matches all of several patterns.
  public static func allOf(_ patterns: TextPattern...) -> TextPattern { TextPattern(.allOf(patterns)) }

  /// A text that does not match a pattern; a text that is not there does not match this either.
  public static func not(_ pattern: TextPattern) -> TextPattern { TextPattern(.not(pattern)) }
}

extension TextPattern: PrintedByDescription {
  /// What a text is to be, in words; secrets hidden by ``/Errand/Redaction/standard``.
  public var description: String { words { text, _ in Redaction.standard.text(text) }.printed }
}

extension TextPattern {
  func matches(_ text: String) -> Bool { verdict(on: text) == .match }

  /// What keeps it from being compared with one of some texts, in words; `nil` when nothing does.
  ///
  /// - Parameter write: writes a text of the pattern, hidden where it is a secret.
  func problem(with texts: [String], _ write: (String) -> String) -> String? {
    // What is malformed is so whatever it is compared with.
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

  /// The verdict that one of the patterns is enough for, else the first problem, else the opposite.
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

  /// What a text is to be, in words that follow "not".
  ///
  /// - Parameter write: writes a text of the pattern, hidden where it is a secret; is told whether the other one is to be the same
  ///   from its start.
  func words(_ write: (_ text: String, _ isStart: Bool) -> String) -> String {
    switch form {
    case .any: "any text"
    case .equal(let text): write(text, true)
    case .contains(let text): "one that contains \(write(text, false))"
    case .prefix(let text): "one that begins with \(write(text, true))"
    case .suffix(let text): "one that ends with \(write(text, false))"
    case .caseless(let text): "\(write(text, false)) in any case"
    case .expression(let expression): "one that matches \(write(expression.text, false))"
    case .anyOf(let patterns): patterns.map { $0.words(write) }.joined(separator: " or ")
    case .allOf(let patterns): patterns.map { $0.words(write) }.joined(separator: " and ")
    case .not(let pattern): "anything but \(pattern.words(write))"
    }
  }
}

/// Whether a text matches, as far as that is known: what could not be compared is no match, and not the opposite of one either.
private enum TextVerdict: Equatable {
  case match, mismatch
  /// Why it is not known, in words, and the expression where that is the reason.
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

/// A regular expression that gives up in time.
private final class RegularExpression: Sendable {
  let text: String
  private let limit: Duration
  /// `nil` when it is malformed.
  private let compiled: NSRegularExpression?

  init(_ text: String, limit: Duration) {
    (self.text, self.limit) = (text, limit)
    compiled = try? NSRegularExpression(pattern: text)
  }

  func verdict(on text: String) -> TextVerdict {
    guard let compiled else {
      return .problem("the stub's own regular expression is malformed", malformed: self.text)
    }
    let start = ContinuousClock.now
    var (isFound, isLate, hasFailed) = (false, false, false)
    // Only an enumeration tells in between that it goes on, and at its end that the library has given up.
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
    // The library has a limit of time too, and says nothing of that.
    if isLate || ContinuousClock.now - start > limit {
      return .problem("the stub's own regular expression had not come to an end after \(limit)")
    }
    guard hasFailed else { return .mismatch }
    let length = "\(text.utf8.count) bytes"
    return .problem("the stub's own regular expression needs more memory than it may have for \(length)")
  }
}

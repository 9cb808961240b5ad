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

  /// This text, compared exactly.
  public static func equal(_ text: String) -> TextPattern { TextPattern(.equal(text)) }

  /// This text in any case, compared as it is in no language.
  public static func equalIgnoringCase(_ text: String) -> TextPattern { TextPattern(.caseless(text)) }

  /// A text with this one in it.
  public static func contains(_ text: String) -> TextPattern { TextPattern(.contains(text)) }

  /// A text that begins with this one.
  public static func prefix(_ text: String) -> TextPattern { TextPattern(.prefix(text)) }

  /// A text that ends with this one.
  public static func suffix(_ text: String) -> TextPattern { TextPattern(.suffix(text)) }

  /// A text with a match of a regular expression anywhere in it; `^` and `$` are its ends, to ask for the whole text.
  ///
  /// The syntax is that of `NSRegularExpression`. A malformed one matches nothing, and messages say why. One that goes on
  /// for longer than a quarter of a second matches nothing, and messages say so: repetitions inside of repetitions take for ever on
  /// some texts.
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
  func matches(_ text: String) -> Bool {
    switch form {
    case .any: true
    case .equal(let wanted): text == wanted
    case .contains(let wanted): wanted.isEmpty || text.contains(wanted)
    case .prefix(let wanted): text.hasPrefix(wanted)
    case .suffix(let wanted): text.hasSuffix(wanted)
    case .caseless(let wanted): text.lowercased() == wanted.lowercased()
    case .expression(let expression): expression.matches(text)
    case .anyOf(let patterns): patterns.contains { $0.matches(text) }
    case .allOf(let patterns): patterns.allSatisfy { $0.matches(text) }
    // In this order, as the problem of an expression may be that it did not come to an end here.
    case .not(let pattern): !pattern.matches(text) && pattern.problem { $0 } == nil
    }
  }

  /// What keeps it from being compared, in words; `nil` when nothing does.
  ///
  /// - Parameter write: writes a text of the pattern, hidden where it is a secret.
  func problem(_ write: (String) -> String) -> String? {
    switch form {
    case .expression(let expression): expression.problem(write)
    case .anyOf(let patterns), .allOf(let patterns): patterns.compactMap { $0.problem(write) }.first
    case .not(let pattern): pattern.problem(write)
    default: nil
    }
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

/// A regular expression that gives up in time.
final class RegularExpression: Sendable {
  let text: String
  private let limit: Duration
  /// `nil` when it is malformed.
  private let compiled: NSRegularExpression?
  private let hasGivenUp = Locked(false)

  init(_ text: String, limit: Duration) {
    (self.text, self.limit) = (text, limit)
    compiled = try? NSRegularExpression(pattern: text)
  }

  /// Why it matches nothing; `nil` when it may match.
  func problem(_ write: (String) -> String) -> String? {
    guard compiled != nil else { return "the stub's own regular expression is malformed: \(write(text))" }
    return hasGivenUp.withLock { $0 }
      ? "the stub's own regular expression had not come to an end after \(limit)" : nil
  }

  func matches(_ text: String) -> Bool {
    guard let compiled else { return false }
    let start = ContinuousClock.now
    var (isFound, isLate) = (false, false)
    // Only an enumeration tells in between that it goes on.
    compiled.enumerateMatches(
      in: text, options: .reportProgress, range: NSRange(location: 0, length: text.utf16.count)
    ) { match, _, stop in
      isFound = isFound || match != nil
      isLate = !isFound && ContinuousClock.now - start > self.limit
      if isFound || isLate { stop.pointee = true }
    }
    // The library may end it by a limit of its own, and says nothing of that.
    if !isFound, isLate || ContinuousClock.now - start > limit { hasGivenUp.withLock { $0 = true } }
    return isFound
  }
}

public import Foundation

/// Where a ``ConsoleLogger`` writes.
///
/// ```swift
/// struct Collecting: LogSink {
///   let log: LogFile
///   func write(_ event: LoggedEvent) { log.append("\(event.severity) \(event.text)") }
/// }
///
/// let agent = RequestAgent(accessories: [ConsoleLogger(sink: Collecting(log: log))])
/// ```
public protocol LogSink: Sendable {
  /// Takes one event; called from any thread, on the way of the request, so be quick.
  func write(_ event: LoggedEvent)
}

/// What a ``ConsoleLogger`` says of one event of a dispatch; secrets are hidden in it, and control characters written out.
public struct LoggedEvent: Sendable {
  /// What happened.
  public enum Kind: Character, Sendable, Hashable, CaseIterable {
    /// A request goes to the transport, again for each redirect.
    case sent = ">"
    /// A response came.
    case received = "<"
    /// An attempt failed.
    case failed = "!"
    /// The dispatch ended.
    case ended = "="
  }

  /// How much it matters.
  public enum Severity: Int, Sendable, Hashable, Comparable {
    /// What is sent, what comes back, and a success.
    case info
    /// A failure that another attempt follows, and a cancellation.
    case warning
    /// A failure that stands.
    case error

    /// Whether `a` matters less than `b`.
    public static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }
  }

  /// What happened.
  public var kind: Kind
  /// How much it matters.
  public var severity: Severity
  /// When it happened, by the agent's clock.
  public var time: Date
  /// The dispatch: its request, with type, tag and comment.
  public let context: RequestContext
  /// The number of the attempt, from 1; `nil` at the end of the dispatch.
  public var attempt: Int?
  /// What is said, without line breaks: the first line of it, then those of header fields and of the body.
  public var lines: [String]
  /// The account of the attempt, of one that ended, such as for its ``AttemptReport/attributes(requestHeaders:responseHeaders:)``.
  ///
  /// Bodies in it are as they came.
  public var report: AttemptReport?
  /// The account of the dispatch, at its end.
  public var exchange: ExchangeReport?

  /// The number of the dispatch in its agent.
  public var dispatch: UInt64 { context.id }

  /// What every line begins with: `[7.1] >`.
  public var prefix: String { "[\(dispatch)\(attempt.map { ".\($0)" } ?? "")] \(kind.rawValue)" }

  /// The lines with the prefix in front of each, so that none can pass for an event.
  public var text: String { lines.map { "\(prefix) \($0)" }.joined(separator: "\n") }
}

/// Gives each event to a function, as one text.
struct FunctionSink: LogSink {
  let output: @Sendable (String) -> Void

  func write(_ event: LoggedEvent) { output(event.text) }
}

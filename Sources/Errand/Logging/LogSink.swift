public import Foundation

/// The destination of a ``ConsoleLogger``.
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
  /// Writes an event. May be called on any thread, and must be fast, because the request waits.
  func write(_ event: LoggedEvent)
}

/// An event of a dispatch, with the redacted lines to log.
public struct LoggedEvent: Sendable {
  /// The kind of event.
  public enum Kind: Character, Sendable, Hashable, CaseIterable {
    /// A request, also after a redirect.
    case sent = ">"
    /// A response, or a redirect response that was followed.
    case received = "<"
    /// An attempt failed.
    case failed = "!"
    /// The dispatch ended.
    case ended = "="
  }

  /// The severity of an event.
  public enum Severity: Int, Sendable, Hashable, Comparable {
    /// A request, a response, a followed redirect, or a success.
    case info
    /// A retried failure, or a cancellation.
    case warning
    /// Any other failure.
    case error

    /// Returns true if `a` is less severe than `b`.
    public static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }
  }

  /// The kind of event.
  public var kind: Kind
  /// The severity of the event.
  public var severity: Severity
  /// The time, by the agent's clock.
  public var time: Date
  /// The context of the dispatch.
  public let context: RequestContext
  /// The number of the attempt, from 1; `nil` at the end of the dispatch.
  public var attempt: Int?
  /// The lines, without line breaks.
  public var lines: [String]
  /// The report of a finished attempt, not redacted; `nil` for other events.
  public var report: AttemptReport?
  /// The report of the dispatch; `nil` unless the kind is ``Kind/ended``.
  public var exchange: ExchangeReport?

  /// The number of the dispatch.
  public var dispatch: UInt64 { context.id }

  /// The prefix of each line, such as `[7.1] >`.
  public var prefix: String { "[\(dispatch)\(attempt.map { ".\($0)" } ?? "")] \(kind.rawValue)" }

  /// The lines, each with the prefix.
  public var text: String { lines.map { "\(prefix) \($0)" }.joined(separator: "\n") }
}

struct FunctionSink: LogSink {
  let output: @Sendable (String) -> Void

  func write(_ event: LoggedEvent) { output(event.text) }
}

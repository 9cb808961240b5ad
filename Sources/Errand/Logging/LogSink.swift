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
  /// Writes an event.
  ///
  /// Called on any thread. The request waits for the method, so the method must be fast.
  func write(_ event: LoggedEvent)
}

/// An event of a dispatch as log output, with redacted lines.
///
/// Control characters in the lines are escaped, except tabs.
public struct LoggedEvent: Sendable {
  /// The kind of event.
  public enum Kind: Character, Sendable, Hashable, CaseIterable {
    /// The request of an attempt, also after a followed redirect.
    case sent = ">"
    /// A response arrived, or a redirect was followed.
    case received = "<"
    /// An attempt failed.
    case failed = "!"
    /// The dispatch ended.
    case ended = "="
  }

  /// The severity of an event.
  public enum Severity: Int, Sendable, Hashable, Comparable {
    /// A sent request, a response, or a success.
    case info
    /// A failure with a decided retry, or a cancellation.
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
  /// The time of the event, by the agent's clock.
  public var time: Date
  /// The context of the dispatch, with the type, tag and comment of the request.
  public let context: RequestContext
  /// The number of the attempt, from 1; `nil` at the end of the dispatch.
  public var attempt: Int?
  /// The lines, without line breaks.
  public var lines: [String]
  /// The report of a finished attempt; `nil` for other events.
  ///
  /// The report contains the bodies without redaction. For redacted attributes, use
  /// `AttemptReport.attributes(requestHeaders:responseHeaders:)` of `ErrandTelemetry`.
  public var report: AttemptReport?
  /// The report of the dispatch, for an event of kind ``Kind/ended``.
  public var exchange: ExchangeReport?

  /// The number of the dispatch within its agent.
  public var dispatch: UInt64 { context.id }

  /// The prefix of every line: `[7.1] >`.
  public var prefix: String { "[\(dispatch)\(attempt.map { ".\($0)" } ?? "")] \(kind.rawValue)" }

  /// The lines, each with the prefix, so that no line can imitate an event.
  public var text: String { lines.map { "\(prefix) \($0)" }.joined(separator: "\n") }
}

struct FunctionSink: LogSink {
  let output: @Sendable (String) -> Void

  func write(_ event: LoggedEvent) { output(event.text) }
}

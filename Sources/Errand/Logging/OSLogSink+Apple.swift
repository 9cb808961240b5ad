#if canImport(os)
public import os

/// Writes the output of a ``ConsoleLogger`` to the system log; on Apple platforms only.
///
/// ```swift
/// let sink = OSLogSink(Logger(subsystem: "com.example.app", category: "requests"))
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [ConsoleLogger(sink: sink)])
/// ```
///
/// The messages are public and therefore readable, because secrets are already hidden. Failures before a
/// further attempt and cancellations have the level `default`, final failures have the level `error`, and
/// all other events have the level `info`.
public struct OSLogSink: LogSink {
  private let logger: Logger

  /// Creates a sink that writes to a logger.
  public init(_ logger: Logger) { self.logger = logger }

  /// Logs the event.
  public func write(_ event: LoggedEvent) {
    let type: OSLogType =
      switch event.severity {
      case .info: .info
      case .warning: .default
      case .error: .error
      }
    logger.log(level: type, "\(event.text, privacy: .public)")
  }
}
#endif

#if canImport(os)
public import os

/// Writes what a ``ConsoleLogger`` says into the log of the system; on Apple platforms only.
///
/// ```swift
/// let sink = OSLogSink(Logger(subsystem: "com.example.app", category: "requests"))
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [ConsoleLogger(sink: sink)])
/// ```
///
/// The messages are public, so that they can be read: secrets are hidden in them already. What is no failure has the level `info`, a failure
/// that another attempt follows `default`, one that stands `error`.
public struct OSLogSink: LogSink {
  private let logger: Logger

  /// Makes a sink that writes into a logger.
  public init(_ logger: Logger) { self.logger = logger }

  /// Logs it.
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

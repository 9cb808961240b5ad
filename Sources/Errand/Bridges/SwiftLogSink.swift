#if SwiftLog
public import Logging

/// Writes what a ``ConsoleLogger`` says into a logger of swift-log; with the trait `SwiftLog` only.
///
/// ```swift
/// let sink = SwiftLogSink(Logger(label: "com.example.api"))
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [ConsoleLogger(sink: sink)])
/// ```
///
/// The message is the text of the event. The metadata are the numbers of the dispatch and of the attempt, and of one that ended its
/// ``TelemetryAttributes``. Secrets are hidden in both.
public struct SwiftLogSink: LogSink {
  private let logger: Logger
  private let level: Logger.Level

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - logger: where it writes.
  ///   - level: of what is no failure; `.info` by default. A failure that another attempt follows, and a cancellation, have `.warning`, one
  ///     that stands `.error`.
  public init(_ logger: Logger, level: Logger.Level = .info) {
    self.logger = logger
    self.level = level
  }

  /// Logs it.
  public func write(_ event: LoggedEvent) {
    let level: Logger.Level =
      switch event.severity {
      case .info: self.level
      case .warning: .warning
      case .error: .error
      }
    // What nobody reads is not put together.
    guard level >= logger.logLevel else { return }
    var metadata: Logger.Metadata = ["errand.dispatch": "\(event.dispatch)"]
    if let attempt = event.attempt { metadata["errand.attempt"] = "\(attempt)" }
    for (name, text) in event.report?.attributes().texts ?? [] { metadata[name] = .string(text) }
    logger.log(level: level, "\(event.text)", metadata: metadata, source: "Errand")
  }
}
#endif

import Errand
import Logging

/// Writes the events of a `ConsoleLogger` to a logger of swift-log, with redacted secrets.
///
/// The message is the text of the event. The metadata are the numbers of dispatch and attempt, and the
/// attributes of an ended attempt.
struct SwiftLogSink {
  let logger: Logger
  /// The level of an event without a failure.
  ///
  /// Cancellations, and failures before another attempt, have the level `.warning`. Final failures have the
  /// level `.error`.
  var level = Logger.Level.info
}

extension SwiftLogSink: LogSink {
  func write(_ event: LoggedEvent) {
    let level: Logger.Level =
      switch event.severity {
      case .info: self.level
      case .warning: .warning
      case .error: .error
      }
    guard level >= logger.logLevel else { return }
    var metadata: Logger.Metadata = ["errand.dispatch": "\(event.dispatch)"]
    if let attempt = event.attempt { metadata["errand.attempt"] = "\(attempt)" }
    for (name, text) in event.report?.attributes().texts ?? [] { metadata[name] = .string(text) }
    logger.log(level: level, "\(event.text)", metadata: metadata, source: "Errand")
  }
}

import Errand
import Logging

/// Writes into a logger of swift-log what a `ConsoleLogger` says, with secrets hidden.
///
/// The message is the text of the event. The metadata are the numbers of the dispatch and of the attempt, and the attributes of an attempt that ended.
struct SwiftLogSink {
  let logger: Logger
  /// The level of an event that is no failure.
  ///
  /// A failure that another attempt follows, and a cancellation, have `.warning`; a failure that stands has `.error`.
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

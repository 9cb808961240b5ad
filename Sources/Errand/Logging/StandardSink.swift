import Foundation

#if canImport(os)
public import os
#endif

/// A sink for the standard output, or for Apple's unified logging system.
public struct StandardSink: LogSink {
  private let output: @Sendable (LoggedEvent) -> Void

  /// Writes the event.
  public func write(_ event: LoggedEvent) { output(event) }

  fileprivate init(_ output: @escaping @Sendable (LoggedEvent) -> Void) { self.output = output }
}

extension LogSink where Self == StandardSink {
  /// A sink for the standard output.
  public static var console: StandardSink { .console() }

  /// Returns a sink that writes to the standard output.
  ///
  /// Each event is flushed, so that the output survives a crash.
  ///
  /// - Parameters:
  ///   - isColoured: True for colours. `nil`: the terminal, `TERM` and `NO_COLOR` decide.
  ///   - format: The text of an event; ``LoggedEvent/text`` by default.
  public static func console(
    isColoured: Bool? = nil, format: @escaping @Sendable (LoggedEvent) -> String = { $0.text }
  ) -> StandardSink {
    let sink = ConsoleSink(isColoured: isColoured, format: format)
    return StandardSink { sink.write($0) }
  }

  #if canImport(os)
  /// Returns a sink that writes to a logger of Apple's unified logging system.
  ///
  /// ```swift
  /// let logger = ConsoleLogger(sink: .system(Logger(subsystem: "com.example.app", category: "requests")))
  /// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
  /// ```
  ///
  /// The messages are logged with `.public` privacy, because the lines are already redacted.
  public static func system(_ logger: Logger) -> StandardSink {
    StandardSink { event in
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
}

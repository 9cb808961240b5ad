import Foundation

struct ConsoleSink: LogSink {
  private let isColoured: Bool
  private let format: @Sendable (LoggedEvent) -> String
  private let output: @Sendable (String) -> Void

  init(isColoured: Bool? = nil, format: @escaping @Sendable (LoggedEvent) -> String = { $0.text }) {
    self.init(
      isColoured: isColoured
        ?? Self.hasColours(isTerminal: isatty(STDOUT_FILENO) == 1, ProcessInfo.processInfo.environment),
      format: format,
      output: { text in
        print(text)
        fflush(nil)
      })
  }

  init(
    isColoured: Bool, format: @escaping @Sendable (LoggedEvent) -> String = { $0.text },
    output: @escaping @Sendable (String) -> Void
  ) {
    self.isColoured = isColoured
    self.format = format
    self.output = output
  }

  static func hasColours(isTerminal: Bool, _ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    return isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(term)
  }

  func write(_ event: LoggedEvent) {
    let text = format(event)
    guard isColoured, let colour = Self.colour(of: event) else { return output(text) }
    let first = text.prefix { !$0.isNewline }
    output("\u{1B}[\(colour)m\(first)\u{1B}[0m\(text.dropFirst(first.count))")
  }

  /// Returns the code of a colour (ECMA-48 section 8.3.117); `nil`: the terminal's default colour.
  private static func colour(of event: LoggedEvent) -> Int? {
    switch (event.kind, event.severity) {
    case (_, .error): 31
    case (_, .warning): 33
    case (.sent, _): 36
    case (.ended, _): 32
    case (.received, _): (event.report?.response?.status.isSuccess ?? true) ? 32 : nil
    case (.failed, _): 33
    }
  }
}

public import Foundation

/// An action of a ``MockServer`` on a connection.
///
///     .raw(.send("HTTP/1.1 200 OK\r\nContent-Le"), .wait(.milliseconds(5)), .reset)
///     .text("hello").cut(.body, after: 3, by: .stall)
///
/// Steps after ``close``, ``reset`` or ``stall`` are not performed.
public struct AnswerStep: Sendable {
  enum Action: Sendable {
    case send(Data, times: Int)
    case wait(Duration)
    case awaitRequest
    /// Ends the answer and, with `closing`, the connection.
    case finish(closing: Bool)
    case sendCloseNotify, close, reset, stall
  }

  let action: Action

  private init(_ action: Action) { self.action = action }

  /// Returns a step that sends bytes `times` times, once by default; `.max` gives an endless answer.
  public static func send(_ bytes: Data, times: Int = 1) -> AnswerStep {
    AnswerStep(.send(bytes, times: max(times, 0)))
  }

  /// Returns a step that sends text in UTF-8.
  public static func send(_ text: String, times: Int = 1) -> AnswerStep {
    send(Data(text.utf8), times: times)
  }

  /// Returns a step that waits, in real time.
  public static func wait(_ duration: Duration) -> AnswerStep { AnswerStep(.wait(duration)) }

  /// Waits for and records the client's next request; no route, stub or queue answers.
  public static let awaitNextRequest = AnswerStep(.awaitRequest)

  /// Sends a TLS `close_notify` alert (RFC 8446 section 6.1); no effect without TLS.
  public static let closeNotify = AnswerStep(.sendCloseNotify)

  /// Closes the connection after the bytes of earlier steps.
  ///
  /// With TLS, an answer without a length or chunks is complete only after
  /// ``closeNotify`` (RFC 9112 section 9.8).
  public static let close = AnswerStep(.close)

  /// Resets the connection (RST); the reset may overtake sent bytes.
  public static let reset = AnswerStep(.reset)

  /// Performs no further step and leaves the connection open.
  public static let stall = AnswerStep(.stall)

  static func finish(closing: Bool) -> AnswerStep { AnswerStep(.finish(closing: closing)) }
}

extension AnswerStep: CustomReflectable {
  /// An empty mirror, because the bytes may contain secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

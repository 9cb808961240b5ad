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
    /// Ends the answer; if `closing` is true, also closes the connection.
    case finish(closing: Bool)
    case sendCloseNotify, close, reset, stall
  }

  let action: Action

  private init(_ action: Action) { self.action = action }

  /// Returns a step that sends bytes, repeated `times` times; once by default.
  ///
  /// For an endless answer, use `.max`.
  public static func send(_ bytes: Data, times: Int = 1) -> AnswerStep {
    AnswerStep(.send(bytes, times: max(times, 0)))
  }

  /// Returns a step that sends text in UTF-8.
  public static func send(_ text: String, times: Int = 1) -> AnswerStep {
    send(Data(text.utf8), times: times)
  }

  /// Returns a step that waits in real time.
  public static func wait(_ duration: Duration) -> AnswerStep { AnswerStep(.wait(duration)) }

  /// A step that waits for the client's next request and records the request.
  ///
  /// Routes, stubs and queued answers do not answer this request. Only the following steps do.
  public static let awaitNextRequest = AnswerStep(.awaitRequest)

  /// A step that sends a TLS `close_notify` alert (RFC 8446 section 6.1); no effect without TLS.
  public static let closeNotify = AnswerStep(.sendCloseNotify)

  /// A step that closes the connection after the bytes of earlier steps.
  ///
  /// With TLS, use ``closeNotify`` first, if the answer has neither a length nor chunks. Otherwise, clients
  /// may treat the answer as incomplete (RFC 9112 section 9.8).
  public static let close = AnswerStep(.close)

  /// A step that resets the connection (RST); the reset can overtake sent bytes.
  public static let reset = AnswerStep(.reset)

  /// A step that leaves the connection open, without further bytes.
  public static let stall = AnswerStep(.stall)

  static func finish(closing: Bool) -> AnswerStep { AnswerStep(.finish(closing: closing)) }
}

extension AnswerStep: CustomReflectable {
  /// An empty mirror, because the bytes may contain secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

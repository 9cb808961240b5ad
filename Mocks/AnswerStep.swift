public import Foundation

/// One thing a ``MockServer`` does on a connection to answer; every answer is a list of them.
///
///     .raw(.send("HTTP/1.1 200 OK\r\nContent-Le"), .wait(.milliseconds(5)), .reset)
///     .text("hello").cut(.body, after: 3, by: .stall)
///     .text("hello").then(.awaitNextRequest, .close)
///
/// Whatever comes after ``close``, ``reset`` or ``stall`` is not done.
public struct AnswerStep: Sendable {
  enum Action: Sendable {
    case send(Data, times: Int)
    case wait(Duration)
    case awaitRequest
    /// The answer is complete.
    case finish(closing: Bool)
    case sayEnd, close, reset, stall
  }

  let action: Action

  private init(_ action: Action) { self.action = action }

  /// Sends bytes as they are, once or `times` times.
  ///
  /// They are stored once, so `.max` is a way to never end.
  public static func send(_ bytes: Data, times: Int = 1) -> AnswerStep {
    AnswerStep(.send(bytes, times: max(times, 0)))
  }

  /// Sends text in UTF-8 as it is; see ``send(_:times:)-(Data,_)``.
  public static func send(_ text: String, times: Int = 1) -> AnswerStep {
    send(Data(text.utf8), times: times)
  }

  /// Waits, in real time.
  public static func wait(_ duration: Duration) -> AnswerStep { AnswerStep(.wait(duration)) }

  /// Waits for the client's next request, reads it to its end and records it, without answering it.
  ///
  /// The request that is being answered has been read before the first step.
  public static let awaitNextRequest = AnswerStep(.awaitRequest)

  /// Says by TLS that nothing more comes (RFC 8446 section 6.1), as an answer that closes its connection does; without TLS it does
  /// nothing.
  public static let closeNotify = AnswerStep(.sayEnd)

  /// Closes the connection after all that was sent.
  ///
  /// With TLS nothing says so: a client has to take what came for cut short, unless ``closeNotify`` came before.
  public static let close = AnswerStep(.close)

  /// Ends the connection at once by a reset (RST), which may overtake what was sent and not read yet.
  public static let reset = AnswerStep(.reset)

  /// Does nothing more, and leaves the connection open until the client closes it.
  public static let stall = AnswerStep(.stall)

  static func finish(closing: Bool) -> AnswerStep { AnswerStep(.finish(closing: closing)) }
}

extension AnswerStep: CustomReflectable {
  /// Shows `dump` nothing, as its bytes may be anything.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

import Errand
import Foundation

/// How a ``MockAnswer`` fails as networks do, the same on a ``MockTransport`` and on a ``MockServer``.
///
/// What a request gets is of the same kind on a transport and on a server, unless it says otherwise. Over a
/// connection that was used before, a client of a server may send a request again by itself when nothing has come
/// (RFC 9112 section 9.3.1).
public struct AnswerFault: Sendable, Hashable {
  enum Ending: Sendable, Hashable {
    case refusal, reset, close, stall, timeout
  }

  let ending: Ending
  /// How many bytes of the body come before; `nil` when not even the head comes.
  var bodyLength: Int?

  /// No connection is made: ``/Errand/RequestError/Kind/connectionFailed``.
  ///
  /// A server is listening already. The nearest it can do is to close the connection without an answer:
  /// ``/Errand/RequestError/Kind/connectionLost``. A transport records the request all the same.
  public static let refused = AnswerFault(ending: .refusal)

  /// The connection is reset (RST) before anything comes: ``/Errand/RequestError/Kind/connectionLost``.
  public static let reset = AnswerFault(ending: .reset)

  /// Nothing comes, until the request's timeout: ``/Errand/RequestError/Kind/timedOut``.
  ///
  /// The timeout passes on a transport's clock, or in real time on a server.
  public static let stalled = AnswerFault(ending: .stall)

  /// The request times out: ``/Errand/RequestError/Kind/timedOut``; on a transport at once, without any time.
  ///
  /// A server cannot end a client's time, and stalls.
  public static let timedOut = AnswerFault(ending: .timeout)

  /// The connection is closed after the head, which promises the whole body, and so many bytes of it:
  /// ``/Errand/RequestError/Kind/connectionLost``.
  ///
  /// A body that is no longer comes whole; so does the head of an answer to `HEAD`.
  public static func truncated(after bodyLength: Int) -> AnswerFault {
    AnswerFault(.close, after: bodyLength)
  }

  /// The connection is reset (RST) after the head and so many bytes of the body:
  /// ``/Errand/RequestError/Kind/connectionLost``.
  ///
  /// Over a connection the reset may overtake what was sent. A body that is no longer comes whole.
  public static func reset(after bodyLength: Int) -> AnswerFault { AnswerFault(.reset, after: bodyLength) }

  /// Nothing more comes after the head and so many bytes of the body, until the request's timeout:
  /// ``/Errand/RequestError/Kind/timedOut``.
  ///
  /// A body that is no longer comes whole.
  public static func stalled(after bodyLength: Int) -> AnswerFault { AnswerFault(.stall, after: bodyLength) }

  private init(_ ending: Ending, after bodyLength: Int) {
    self.init(ending: ending, bodyLength: max(bodyLength, 0))
  }

  private init(ending: Ending, bodyLength: Int? = nil) {
    self.ending = ending
    self.bodyLength = bodyLength
  }

  /// Fails before the head, perhaps after a wait.
  func happen(to url: URL, _ wait: ProgressWait) async throws {
    switch ending {
    case .refusal: throw TransportError(.connectionFailed, "no connection to \(url.peer) could be made")
    case .reset: throw TransportError.reset(by: url)
    case .close:
      throw TransportError(.connectionLost, "\(url.peer) closed the connection without an answer")
    case .stall: try await wait.stall()
    case .timeout: throw wait.timedOut
    }
  }

  /// What comes nearest to it on a connection that stands already.
  var step: AnswerStep {
    switch ending {
    case .refusal, .close: .close
    case .reset: .reset
    case .stall, .timeout: .stall
    }
  }
}

extension AnswerFault: CustomStringConvertible {
  /// Such as `connection refused`, or `connection closed after 3 bytes of the body`.
  public var description: String {
    let what =
      switch ending {
      case .refusal: "connection refused"
      case .reset: "connection reset"
      case .close: "connection closed"
      case .stall: "stalled"
      case .timeout: "timed out"
      }
    return bodyLength.map { "\(what) after \($0) bytes of the body" } ?? what
  }
}

extension TransportError {
  static func reset(by url: URL) -> TransportError {
    TransportError(.connectionLost, "the connection to \(url.peer) broke while the response was received")
  }

  /// A body that ended early; its length is `nil` when the head did not tell it.
  static func truncated(after count: Int, of length: Int?) -> TransportError {
    let place =
      length.map { "after \(count) of the \($0) bytes of the body" }
      ?? "inside the body, after \(count) bytes"
    return TransportError(.connectionLost, "the connection was closed \(place)")
  }
}

extension URL {
  /// Host and port, as errors name them.
  fileprivate var peer: String {
    let host = host() ?? ""
    let port = port ?? (scheme?.lowercased() == "https" ? 443 : 80)
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

import Errand
import Foundation

/// A network fault of a ``MockAnswer``.
///
/// A fault inside the body has no effect if the body has at most `bodyLength` bytes. After a fault on a
/// reused connection, the client may send the request again (RFC 9112 section 9.3.1).
public struct AnswerFault: Sendable, Hashable {
  enum Ending: Sendable, Hashable {
    case refusal, reset, close, stall, timeout
  }

  let ending: Ending
  /// The number of body bytes before the fault; `nil`: the fault comes before the head.
  var bodyLength: Int?

  /// The connection is refused.
  ///
  /// In a ``MockTransport``, the error is ``/Errand/RequestError/Kind/connectionFailed``. A ``MockServer``
  /// closes the connection after accepting it, so the error is usually
  /// ``/Errand/RequestError/Kind/connectionLost``.
  public static let refused = AnswerFault(ending: .refusal)

  /// The connection is reset (RST) before the head.
  ///
  /// The error is ``/Errand/RequestError/Kind/connectionLost``.
  public static let reset = AnswerFault(ending: .reset)

  /// No response arrives.
  ///
  /// The request fails with ``/Errand/RequestError/Kind/timedOut`` after its timeout.
  public static let stalled = AnswerFault(ending: .stall)

  /// The request fails with ``/Errand/RequestError/Kind/timedOut``.
  ///
  /// A ``MockTransport`` does not wait for the timeout.
  public static let timedOut = AnswerFault(ending: .timeout)

  /// Returns a fault that closes the connection after `bodyLength` body bytes.
  ///
  /// Usually, the error is ``/Errand/RequestError/Kind/connectionLost``.
  public static func truncated(after bodyLength: Int) -> AnswerFault {
    AnswerFault(.close, after: bodyLength)
  }

  /// Returns a fault that resets the connection (RST) after `bodyLength` body bytes.
  ///
  /// The error is ``/Errand/RequestError/Kind/connectionLost``. The client may receive fewer bytes, because a
  /// reset can overtake sent bytes.
  public static func reset(after bodyLength: Int) -> AnswerFault { AnswerFault(.reset, after: bodyLength) }

  /// Returns a fault that stalls the response after `bodyLength` body bytes.
  ///
  /// The request fails with ``/Errand/RequestError/Kind/timedOut`` after its timeout.
  public static func stalled(after bodyLength: Int) -> AnswerFault { AnswerFault(.stall, after: bodyLength) }

  private init(_ ending: Ending, after bodyLength: Int) {
    self.init(ending: ending, bodyLength: max(bodyLength, 0))
  }

  private init(ending: Ending, bodyLength: Int? = nil) {
    self.ending = ending
    self.bodyLength = bodyLength
  }

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

  var step: AnswerStep {
    switch ending {
    case .refusal, .close: .close
    case .reset: .reset
    case .stall, .timeout: .stall
    }
  }
}

extension AnswerFault: CustomStringConvertible {
  /// A text such as `connection refused` or `connection closed after 3 bytes of the body`.
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

  static func truncated(after count: Int, of length: Int?) -> TransportError {
    let place =
      length.map { "after \(count) of the \($0) bytes of the body" }
      ?? "inside the body, after \(count) bytes"
    return TransportError(.connectionLost, "the connection was closed \(place)")
  }
}

extension URL {
  fileprivate var peer: String {
    let host = host() ?? ""
    let port = port ?? (scheme?.lowercased() == "https" ? 443 : 80)
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

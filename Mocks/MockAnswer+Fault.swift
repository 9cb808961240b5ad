import Foundation

/// Answers that fail as networks do, the same on a ``MockTransport`` and on a ``MockServer``.
extension MockAnswer {
  /// A way to fail.
  ///
  /// What a request gets is of the same kind on a transport and on a server, unless it says otherwise. Over a
  /// connection that was used before, a client of a server may send a request again by itself when nothing has come
  /// (RFC 9112 section 9.3.1).
  public struct Fault: Sendable, Hashable {
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
    public static let refused = Fault(ending: .refusal)

    /// The connection is reset (RST) before anything comes: ``/Errand/RequestError/Kind/connectionLost``.
    public static let reset = Fault(ending: .reset)

    /// Nothing comes, until the request's timeout: ``/Errand/RequestError/Kind/timedOut``.
    ///
    /// The timeout passes on a transport's clock, or in real time on a server.
    public static let stalled = Fault(ending: .stall)

    /// The request times out: ``/Errand/RequestError/Kind/timedOut``; on a transport at once, without any time.
    ///
    /// A server cannot end a client's time, and stalls.
    public static let timedOut = Fault(ending: .timeout)

    /// The connection is closed after the head, which promises the whole body, and so many bytes of it:
    /// ``/Errand/RequestError/Kind/connectionLost``.
    ///
    /// A body that is no longer comes whole; so does the head of an answer to `HEAD`.
    public static func truncated(after bodyLength: Int) -> Fault { Fault(.close, after: bodyLength) }

    /// The connection is reset (RST) after the head and so many bytes of the body:
    /// ``/Errand/RequestError/Kind/connectionLost``.
    ///
    /// Over a connection the reset may overtake what was sent. A body that is no longer comes whole.
    public static func reset(after bodyLength: Int) -> Fault { Fault(.reset, after: bodyLength) }

    /// Nothing more comes after the head and so many bytes of the body, until the request's timeout:
    /// ``/Errand/RequestError/Kind/timedOut``.
    ///
    /// A body that is no longer comes whole.
    public static func stalled(after bodyLength: Int) -> Fault { Fault(.stall, after: bodyLength) }

    private init(_ ending: Ending, after bodyLength: Int) {
      self.init(ending: ending, bodyLength: max(bodyLength, 0))
    }

    private init(ending: Ending, bodyLength: Int? = nil) {
      self.ending = ending
      self.bodyLength = bodyLength
    }
  }

  /// An answer that fails: `.fault(.reset)`.
  ///
  /// A fault in a body has one of zero bytes, one byte longer than what comes of it.
  public static func fault(_ fault: Fault) -> MockAnswer {
    data(Data(count: fault.bodyLength.map { min($0, 1 << 24) + 1 } ?? 0)).fault(fault)
  }

  /// This answer, but it fails: `.json(#"{"id":7}"#).fault(.truncated(after: 3))`.
  public func fault(_ fault: Fault) -> MockAnswer {
    var copy = self
    copy.fault = fault
    return copy
  }
}

import Errand
import Foundation

/// An answer as a ``MockTransport`` gives it.
extension MockAnswer {
  /// The body, to be pulled.
  func body(
    to request: HTTPRequest, wait: ProgressWait, cancellation: CancellationSignal
  ) throws -> BodyStream {
    switch content {
    case .failure(let error): throw error
    case .steps: throw Self.needsConnection
    case _ where !sendsBody(to: request.method): return BodyStream(Data())
    case .data(let data) where isPlain: return BodyStream(data)
    case .data, .chunks:
      return BodyStream(
        MockBodySource(
          pieces, ending: ending(to: request.url, wait),
          summary: TransportSummary(trailers: sendsChunks ? wire.trailers : [:]), wait: wait,
          cancellation: cancellation))
    }
  }

  func checkNeedsNoConnection() throws {
    if wire.needsConnection { throw Self.needsConnection }
  }

  /// Whether a body in one piece is all there is to say.
  private var isPlain: Bool { throughput == nil && fault == nil && wire.trailers.fields.isEmpty }

  private func ending(to url: URL, _ wait: ProgressWait) -> MockBodySource.Ending {
    guard let fault, let count = cutLength else { return .complete }
    switch fault.ending {
    case .stall: return .silence
    case .timeout: return .failure(wait.timedOut)
    case .close: return .failure(.truncated(after: count, of: sendsChunks ? nil : bodyLength))
    case .refusal, .reset: return .failure(.reset(by: url))
    }
  }

  private static let needsConnection = TransportError(
    .unsupported,
    "the answer says what happens on a connection, and a mock transport has none: use a MockServer")
}

extension MockAnswer.Fault {
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
}

extension TransportError {
  fileprivate static func reset(by url: URL) -> TransportError {
    TransportError(.connectionLost, "the connection to \(url.peer) broke while the response was received")
  }

  /// A body that ended early; its length is `nil` when the head did not tell it.
  fileprivate static func truncated(after count: Int, of length: Int?) -> TransportError {
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

import Errand
import Foundation

/// The body of a request that is to be compared or written down.
enum RecordingUpload {
  /// All its bytes; a stream is waited for in a task that is cancelled with the request.
  static func body(of request: TransportRequest) async throws -> Data {
    switch request.request.body.content {
    case .none: return Data()
    case .data(let data): return data
    case .stream(let stream, _):
      do {
        return try await request.cancellation.cancelling {
          var bytes = Data()
          for try await chunk in stream { bytes.append(chunk) }
          return bytes
        }
      } catch {
        throw request.cancellation.isCancelled ? TransportError.cancelled : error
      }
    }
  }

  /// The request with the bytes of its stream, which may have been readable once; it stays a stream, of the same
  /// length if that was known, so that it is framed alike.
  static func replacingStream(in request: TransportRequest, by bytes: Data) -> TransportRequest {
    guard case .stream(_, let length) = request.request.body.content else { return request }
    var request = request
    request.request.body = .stream(length: length, contentType: request.request.body.contentType) {
      AsyncStream<Data> { chunks in
        chunks.yield(bytes)
        chunks.finish()
      }
    }
    return request
  }
}

#if os(Linux)
import Foundation

/// What is to be sent as the body.
enum CurlUpload: Sendable {
  /// No body.
  case none
  /// No body, and `Content-Length: 0`, which methods that usually have a body must say (RFC 9110 section 8.6).
  case zeroLength
  /// Bytes in memory, at least one.
  case data(Data)
  /// Chunks; the length is positive, or `nil` when it is not known.
  case stream(BodyStream, length: Int64?)

  /// Throws `TransportError.cancelled` when the signal fires while a stream of no bytes is read.
  init(_ request: HTTPRequest, unless signal: CancellationSignal) async throws {
    let empty: CurlUpload = request.method.meansBody ? .zeroLength : .none
    switch request.body.content {
    case .none: self = empty
    case .data(let data): self = data.isEmpty ? empty : .data(data)
    case .stream(let stream, let length):
      guard let length, length <= 0 else {
        self = .stream(stream, length: length)
        return
      }
      let ending = signal.onCancel { stream.cancel() }
      defer { signal.removeHandler(ending) }
      try await signal.cancelling { try await Self.checkEmpty(stream, length: length) }
      if signal.isCancelled { throw TransportError.cancelled }
      self = .zeroLength
    }
  }

  /// libcurl never asks for the bytes of a body of none, so the promise is checked before.
  private static func checkEmpty(_ stream: BodyStream, length: Int64) async throws {
    guard length == 0 else { throw TransportError(.encoding, "a body cannot have \(length) bytes") }
    var iterator = stream.makeAsyncIterator()
    while let chunk = try await iterator.next() {
      if !chunk.isEmpty { throw CurlUploadPump.tooMany(for: 0) }
    }
  }

  var isEmpty: Bool {
    switch self {
    case .none, .zeroLength: true
    case .data, .stream: false
    }
  }

  /// The length to announce; `nil` sends chunks.
  var length: Int64? {
    switch self {
    case .none, .zeroLength: 0
    case .data(let data): Int64(data.count)
    case .stream(_, let length): length
    }
  }
}
#endif

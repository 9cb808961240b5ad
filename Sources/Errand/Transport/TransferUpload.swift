package import Foundation

package enum TransferUpload: Sendable {
  case none
  /// No body, with `Content-Length: 0` (RFC 9110 section 8.6).
  case zeroLength
  case data(Data)
  /// `length` is positive; `nil` if unknown.
  case stream(BodyStream, length: Int64?)
  case trailed(TransportRequest.TrailedBody)

  /// Creates the upload of a request.
  ///
  /// Without trailers, a stream of length 0 is read, to check that the stream is empty.
  package init(
    _ request: HTTPRequest, unless signal: CancellationSignal, timeout: Duration,
    suspension: SuspensionSignal?
  ) async throws {
    if let trailed = TransportRequest.TrailedBody(request) {
      if let length = trailed.length, length < 0 { throw Self.negative(length) }
      self = .trailed(trailed)
      return
    }
    let empty: TransferUpload = request.method.sendsZeroContentLength ? .zeroLength : .none
    switch request.body.content {
    case .none: self = empty
    case .data(let data): self = data.isEmpty ? empty : .data(data)
    case .stream(let stream, let length):
      guard let length, length <= 0 else {
        self = .stream(stream, length: length)
        return
      }
      guard length == 0 else { throw Self.negative(length) }
      try await Self.checkEmpty(stream, unless: signal, timeout: timeout, suspension: suspension)
      self = .zeroLength
    }
  }

  init?(inMemory request: HTTPRequest) {
    guard request.trailers.isEmpty, request.body.isInMemory else { return nil }
    switch request.body.content {
    case .data(let data) where !data.isEmpty: self = .data(data)
    case .none, .data: self = request.method.sendsZeroContentLength ? .zeroLength : .none
    case .stream: return nil
    }
  }

  private static func negative(_ length: Int64) -> TransportError {
    TransportError(.encoding, "a body cannot have \(length) bytes")
  }

  /// Throws if the stream is not empty.
  ///
  /// A cancellation ends the wait immediately.
  private static func checkEmpty(
    _ stream: BodyStream, unless signal: CancellationSignal, timeout: Duration, suspension: SuspensionSignal?
  ) async throws {
    let result = OneTime<Result<Void, any Error>>()
    let pump = UploadPump(
      stream, length: 0, isReadable: { result.set(.success(())) }, didFail: { result.set(.failure($0)) })
    defer { pump.stop() }
    let ending = signal.onCancel { result.set(.failure(TransportError.cancelled)) }
    defer { signal.removeHandler(ending) }
    let timer = SuspendableTimer(after: timeout, suspension: suspension) {
      result.set(.failure(TransportError.silentBody(for: timeout)))
    }
    defer { timer.stop() }
    // The first read starts the pump.
    _ = pump.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    guard let result = try? await result.wait() else { throw TransportError.cancelled }
    try result.get()
  }

  package var isEmpty: Bool {
    switch self {
    case .none, .zeroLength: true
    case .data, .stream, .trailed: false
    }
  }

  /// The length in bytes; `nil` if unknown.
  ///
  /// Also `nil` for a body with trailers; use `total` for such a body.
  package var length: Int64? {
    switch self {
    case .none, .zeroLength: 0
    case .data(let data): Int64(data.count)
    case .stream(_, let length): length
    case .trailed: nil
    }
  }

  var total: Int64? { if case .trailed(let body) = self { body.length } else { length } }

  var trailed: TransportRequest.TrailedBody? { if case .trailed(let body) = self { body } else { nil } }
}

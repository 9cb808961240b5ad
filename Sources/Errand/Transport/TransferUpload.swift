import Foundation

/// What is to be sent as the body.
enum TransferUpload: Sendable {
  /// No body.
  case none
  /// No body, and `Content-Length: 0`, which methods that usually have a body must say (RFC 9110 section 8.6).
  case zeroLength
  /// Bytes in memory, at least one.
  case data(Data)
  /// Chunks; the length is positive, or `nil` when it is not known.
  case stream(BodyStream, length: Int64?)
  /// Chunks, or none, and trailers behind them.
  case trailed(TransportRequest.TrailedBody)

  /// Reads a stream that promised no bytes to its end.
  ///
  /// Throws `TransportError.cancelled` when the signal fires meanwhile, and an error of kind `timedOut` when the stream has not ended within the timeout,
  /// which rests with the dispatch. The parts of a transfer come one by one: a copy of the whole costs each request its references.
  init(
    _ request: HTTPRequest, unless signal: CancellationSignal, timeout: Duration,
    suspension: SuspensionSignal?
  ) async throws {
    if let trailed = TransportRequest.TrailedBody(request) {
      if let length = trailed.length, length < 0 { throw Self.negative(length) }
      self = .trailed(trailed)
      return
    }
    let empty: TransferUpload = request.method.meansBody ? .zeroLength : .none
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

  private static func negative(_ length: Int64) -> TransportError {
    TransportError(.encoding, "a body cannot have \(length) bytes")
  }

  /// Nobody asks for the bytes of a body of none, so the promise is checked before.
  ///
  /// Signal and timeout do not wait for the stream, which may take no notice of them.
  private static func checkEmpty(
    _ stream: BodyStream, unless signal: CancellationSignal, timeout: Duration, suspension: SuspensionSignal?
  ) async throws {
    let result = OneTime<Result<Void, any Error>>()
    let pump = UploadPump(
      stream, length: 0, isReadable: { result.set(.success(())) }, didFail: { result.set(.failure($0)) })
    defer { pump.stop() }
    let ending = signal.onCancel { result.set(.failure(TransportError.cancelled)) }
    defer { signal.removeHandler(ending) }
    let timer = RestingTimer(after: timeout, suspension: suspension) {
      result.set(.failure(TransportError.silentBody(for: timeout)))
    }
    defer { timer.stop() }
    // The pump begins when it is first asked.
    _ = pump.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    guard let result = try? await result.wait() else { throw TransportError.cancelled }
    try result.get()
  }

  var isEmpty: Bool {
    switch self {
    case .none, .zeroLength: true
    case .data, .stream, .trailed: false
    }
  }

  /// The length to announce; `nil` sends chunks.
  var length: Int64? {
    switch self {
    case .none, .zeroLength: 0
    case .data(let data): Int64(data.count)
    case .stream(_, let length): length
    case .trailed: nil
    }
  }

  /// How many bytes there will be; `nil` when it is not known.
  var total: Int64? { if case .trailed(let body) = self { body.length } else { length } }

  /// The body with trailers behind it; `nil` for others.
  var trailed: TransportRequest.TrailedBody? { if case .trailed(let body) = self { body } else { nil } }
}

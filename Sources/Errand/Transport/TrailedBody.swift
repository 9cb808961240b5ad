import Foundation

extension TransportRequest {
  /// The body and the trailers of a request.
  ///
  /// A transport sends both instead of ``HTTPRequest/body``. Create an instance for each transmission. Over
  /// HTTP/1.1, send the body in chunks (RFC 9112 section 7.1).
  public struct TrailedBody: Sendable {
    /// The bytes of the body.
    ///
    /// A forbidden trailer or a wrong length ends the stream with a ``TransportError``.
    public let stream: BodyStream
    /// The number of bytes of the body; `nil` if unknown.
    public let length: Int64?
    private let made: Locked<HTTPHeaders?>

    /// Creates the body for a single transmission; `nil` if the request has no trailers.
    public init?(_ request: HTTPRequest) {
      guard let maker = request.trailers.makeComputation() else { return nil }
      let body: BodyStream
      switch request.body.content {
      case .none: (body, length) = (BodyStream(Data()), 0)
      case .data(let data): (body, length) = (BodyStream(data), Int64(data.count))
      case .stream(let stream, let promised): (body, length) = (stream, promised)
      }
      made = Locked(nil)
      stream = BodyStream(TrailedSource(body, length: length, maker: maker, made: made))
    }

    /// The trailers; `nil` until ``stream`` has ended without an error.
    public var trailers: HTTPHeaders? { made.withLock { $0 } }
  }
}

private final class TrailedSource: CodingSource, @unchecked Sendable {
  private let body: BodyStream
  private let coding: (any CodingSource)?
  private let length: Int64?
  private let maker: any TrailerMaker
  private let made: Locked<HTTPHeaders?>
  // Guarded by the contract of `BodySource`: calls of `next` never overlap. Covers `chunks`, `total` and
  // `hasEnded`.
  private var chunks: BodyStream.Iterator
  private var total: Int64 = 0
  private var hasEnded = false

  init(_ body: BodyStream, length: Int64?, maker: any TrailerMaker, made: Locked<HTTPHeaders?>) {
    (self.body, self.length, self.maker, self.made) = (body, length, maker, made)
    (chunks, coding) = (body.makeAsyncIterator(), body.coding)
  }

  var takenCount: Int { coding?.takenCount ?? 0 }

  func next() async throws -> Data? {
    if hasEnded { return nil }
    if let chunk = try await chunks.next() {
      total += Int64(chunk.count)
      if let length, total > length { throw PromisedLength.tooMany(for: length) }
      maker.add(chunk)
      return chunk
    }
    hasEnded = true
    if let length, total < length { throw PromisedLength.tooFew(total, for: length) }
    let fields = try await maker.fields()
    if let problem = TrailerRules.problem(of: fields) { throw TransportError(.invalidRequest, problem) }
    made.withLock { $0 = fields }
    return nil
  }

  func cancel() { body.cancel() }
}

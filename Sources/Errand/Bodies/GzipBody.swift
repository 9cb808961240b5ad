import ErrandJSON
import Foundation

extension RequestBody {
  /// Returns the body, compressed with gzip (RFC 1952); for servers known to accept gzip.
  ///
  /// A body in memory of up to 1 MiB is compressed before sending, and has a known length. Any other body is
  /// compressed while sending, without a known length. To compress parameters, use
  /// ``RequestSerializer/gzipped()``.
  ///
  /// Compression needs Linux and `libz.so.1`. On other platforms, or without the library, the request fails
  /// with ``RequestError/Kind/unsupported``.
  public func gzipped() -> RequestBody {
    if case .none = storage { return self }
    return RequestBody(storage: .provided(GzipBody(body: self)))
  }
}

extension RequestSerializer {
  /// Returns the serializer with compressed bodies; see ``RequestBody/gzipped()``.
  public func gzipped() -> RequestSerializer {
    var copy = self
    copy.isGzipped = true
    return copy
  }
}

private struct GzipBody: BodyProvider {
  /// The size up to which a body in memory is compressed before sending, in bytes.
  private static let wholeLimit = 1_048_576

  let body: RequestBody
  /// The bytes compressed by `prepared(by:)`; `nil` before, and for a body compressed while sending.
  var data: Data?
  var isPrepared = false

  var contentType: String? { body.contentType }
  var contentCoding: String? { "gzip" }
  var isReplayable: Bool { body.isReplayable }
  var isStream: Bool { data == nil }
  var memorySize: Int { body.memorySize + (data?.count ?? 0) }
  var length: Int64? { data.map { Int64($0.count) } }
  var secretive: [Any] { [body] }
  var uncompressed: RequestBody? { body }
  var summary: String { "gzip of \(body.description)" + (data.map { ", \($0.count) bytes" } ?? "") }

  var content: RequestBody.Content {
    if let data { return .data(data) }
    let source: GzipSource =
      switch body.content {
      case .none: GzipSource(BodyStream(Data()), length: nil)
      case .data(let data): GzipSource(BodyStream(data), length: nil)
      case .stream(let stream, let length): GzipSource(stream, length: length)
      }
    return .stream(BodyStream(source), length: nil)
  }

  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider {
    guard !isPrepared else { return self }
    if body.isAutomatic {
      throw Refusal(
        "parameters cannot be compressed in the body property: use a requestSerializer with .gzipped()",
        kind: .encoding)
    }
    var copy = GzipBody(body: try body.prepared(by: coding), isPrepared: true)
    var compressor = try GzipCompressor()
    guard case .data(let bytes) = copy.body.content, bytes.count <= Self.wholeLimit else { return copy }
    copy.data = try compressor.compress(bytes) + compressor.finish()
    return copy
  }
}

private final class GzipSource: CodingSource, @unchecked Sendable {
  private static let pieceSize = 65_536

  private let stream: BodyStream
  // No lock, because calls of `next` never overlap.
  private var iterator: BodyStream.Iterator
  private var pending = Data()
  private var compressor: GzipCompressor?
  private var isEnded = false
  private var promised: PromisedLength
  private let taken = Locked(0)

  private let coding: (any CodingSource)?

  var takenCount: Int { taken.withLock { $0 } + (coding?.takenCount ?? 0) }

  init(_ stream: BodyStream, length: Int64?) {
    (self.stream, coding) = (stream, stream.coding)
    promised = PromisedLength(length)
    iterator = stream.makeAsyncIterator()
  }

  func next() async throws -> Data? {
    guard !isEnded else { return nil }
    var compressor = try self.compressor ?? GzipCompressor()
    defer { self.compressor = compressor }
    while true {
      if pending.isEmpty {
        guard let chunk = try await iterator.next() else { break }
        try promised.add(chunk.count)
        pending = chunk
        taken.withLock { $0 += 1 }
      }
      let output = try compressor.compress(pending.prefix(Self.pieceSize))
      pending = pending.dropFirst(Self.pieceSize)
      if !output.isEmpty { return output }
    }
    try promised.end()
    isEnded = true
    return try compressor.finish()
  }

  func cancel() { stream.cancel() }
}

import ErrandJSON
import Foundation

extension RequestBody {
  /// The same bytes, compressed with gzip (RFC 1952) while they are sent, with `Content-Encoding: gzip`.
  ///
  /// Only for servers that are known to take it: a request cannot ask first. A body of up to 1 MiB in memory is compressed while the request is built, and its length is
  /// announced; any other is compressed in pieces of 64 KiB, and its length is not known before. It can be sent again where the bytes can. No body stays
  /// none; for parameters there is ``RequestSerializer/gzipped()``, and `.automatic` is an error of kind ``RequestError/Kind/encoding``.
  ///
  /// On Linux it takes zlib, `libz.so.1`; without, and on other systems so far, the request is refused with kind ``RequestError/Kind/unsupported``.
  public func gzipped() -> RequestBody {
    if case .none = storage { return self }
    return RequestBody(storage: .provided(GzipBody(body: self)))
  }
}

extension RequestSerializer {
  /// The same, with bodies that are compressed; see ``RequestBody/gzipped()``.
  ///
  /// Queries stay as they are.
  public func gzipped() -> RequestSerializer {
    var copy = self
    copy.isGzipped = true
    return copy
  }
}

/// A body that is compressed while it is sent.
private struct GzipBody: BodyProvider {
  /// Up to so many bytes in memory are compressed before.
  private static let wholeLimit = 1_048_576

  let body: RequestBody
  /// The whole, where it was compressed before; `nil` where it is while it is sent.
  var data: Data?
  var isPrepared = false

  var contentType: String? { body.contentType }
  var contentCoding: String? { "gzip" }
  var isReplayable: Bool { body.isReplayable }
  var isStream: Bool { data == nil }
  var memorySize: Int { body.memorySize + (data?.count ?? 0) }
  var length: Int64? { data.map { Int64($0.count) } }
  var secretive: [Any] { [body] }
  var summary: String { "gzip of \(body.description)" + (data.map { ", \($0.count) bytes" } ?? "") }

  var content: RequestBody.Content {
    if let data { return .data(data) }
    let stream: BodyStream =
      switch body.content {
      case .none: BodyStream(Data())
      case .data(let data): BodyStream(data)
      case .stream(let stream, _): stream
      }
    return .stream(BodyStream(GzipSource(stream)), length: nil)
  }

  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider {
    guard !isPrepared else { return self }
    if body.isAutomatic {
      throw Refusal(
        "parameters are compressed by the request's serializer, as requestSerializer.gzipped()",
        kind: .encoding)
    }
    var copy = GzipBody(body: try body.prepared(by: coding), isPrepared: true)
    var compressor = try GzipCompressor()
    guard case .data(let bytes) = copy.body.content, bytes.count <= Self.wholeLimit else { return copy }
    copy.data = try compressor.compress(bytes) + compressor.finish()
    return copy
  }
}

/// Compresses what a stream gives.
private final class GzipSource: CodingSource, @unchecked Sendable {
  private static let pieceSize = 65_536

  private let stream: BodyStream
  // Guard of the four: `next` has one caller, one call at a time (see `BodySource`).
  private var iterator: BodyStream.Iterator
  /// What came, and is not compressed yet.
  private var pending = Data()
  private var compressor: GzipCompressor?
  private var isEnded = false
  // Guard: its lock.
  private let taken = Locked(0)

  private let coding: (any CodingSource)?

  var takenCount: Int { taken.withLock { $0 } + (coding?.takenCount ?? 0) }

  init(_ stream: BodyStream) {
    (self.stream, coding) = (stream, stream.coding)
    iterator = stream.makeAsyncIterator()
  }

  func next() async throws -> Data? {
    guard !isEnded else { return nil }
    var compressor = try self.compressor ?? GzipCompressor()
    defer { self.compressor = compressor }
    while true {
      if pending.isEmpty {
        guard let chunk = try await iterator.next() else { break }
        pending = chunk
        taken.withLock { $0 += 1 }
      }
      let output = try compressor.compress(pending.prefix(Self.pieceSize))
      pending = pending.dropFirst(Self.pieceSize)
      if !output.isEmpty { return output }
    }
    isEnded = true
    return try compressor.finish()
  }

  func cancel() { stream.cancel() }
}

import Foundation

/// The body of an upload, in chunks.
///
/// Used by a single task.
protocol UploadSource: AnyObject {
  var length: Int64? { get }
  /// A text that usually changes when a file body or a multipart body changes; `nil` for other bodies.
  var stamp: String? { get }

  /// Returns the chunk at `offset`; an empty chunk at the end of the body.
  ///
  /// A remainder shorter than `minimumLastChunk` joins the chunk, so the chunk may exceed `size`.
  func chunk(at offset: Int64, size: Int64, minimumLastChunk: Int64) async throws -> UploadChunk
}

extension RequestBody {
  /// Returns the body in chunks.
  ///
  /// The body must be prepared, so that the metadata of files is known.
  func uploadSource(expecting expected: Int64?) -> any UploadSource {
    if let length, slice(0..<0) != nil { return SlicedSource(self, length: length) }
    return StreamedSource(self, expecting: expected)
  }

  /// Returns a part of the body; `nil` if the body cannot be read from an offset.
  fileprivate func slice(_ range: Range<Int64>) -> RequestBody? {
    switch storage {
    case .automatic, .none: .data(Data())
    case .json: nil
    case .data(let data, _):
      .data(data.dropFirst(Int(range.lowerBound)).prefix(Int(range.upperBound - range.lowerBound)))
    case .provided(let provider): provider.slice(range).map { RequestBody(storage: .provided($0)) }
    }
  }
}

private final class SlicedSource: UploadSource {
  private let body: RequestBody
  private let size: Int64

  init(_ body: RequestBody, length: Int64) { (self.body, size) = (body, length) }

  var length: Int64? { size }
  var stamp: String? { body.provider?.stamp }

  func chunk(at offset: Int64, size wanted: Int64, minimumLastChunk: Int64) async throws -> UploadChunk {
    guard (0...size).contains(offset) else { throw Refusal.noSuchByte(offset, of: size) }
    let rest = size - offset
    let isLast = rest - wanted < max(minimumLastChunk, 1)
    let count = isLast ? rest : wanted
    guard let slice = body.slice(offset..<offset + count) else {
      throw Refusal("the body cannot be read from byte \(offset)", kind: .encoding)
    }
    return UploadChunk(offset: offset, count: count, body: slice, totalLength: isLast ? size : nil)
  }
}

/// A body of unknown length, or a body that can be read only from its start.
///
/// The current chunk stays in memory, because the server may accept only a part of the chunk.
final class StreamedSource: UploadSource {
  private let body: RequestBody
  private var chunks: BodyStream.Iterator?
  /// The bytes read so far from offset ``start``.
  private var buffer = Data()
  private var start: Int64 = 0
  private var isRead = false
  let length: Int64?
  var stamp: String? { body.provider?.stamp }

  /// The length of the resumed upload; `nil` if unknown, or if the body reports its length.
  private let expected: Int64?

  init(_ body: RequestBody, expecting expected: Int64? = nil) {
    self.body = body
    length = body.length
    self.expected = body.length == nil ? expected : nil
  }

  private var end: Int64 { start + Int64(buffer.count) }

  /// The size of the buffer, including dropped bytes that are not yet released.
  var bytesInMemory: Int { buffer.endIndex }

  func chunk(at offset: Int64, size: Int64, minimumLastChunk: Int64) async throws -> UploadChunk {
    guard offset >= 0 else { throw Refusal.noSuchByte(offset, of: end) }
    if offset < start { try rewind(to: offset) }
    while end < offset, try await read() { drop(to: offset) }
    guard end >= offset else {
      throw Refusal.noSuchByte(offset, of: end)
    }
    drop(to: offset)
    // The bytes after the chunk show whether the chunk is the last.
    let wanted = min(size, .max - minimumLastChunk - 1) + max(minimumLastChunk, 1)
    while Int64(buffer.count) < wanted, try await read() {}
    let isLast = isRead && Int64(buffer.count) < wanted
    let bytes = isLast ? buffer : buffer.prefix(Int(size))
    return UploadChunk(
      offset: offset, count: Int64(bytes.count), body: .data(Data(bytes)), totalLength: isLast ? end : nil)
  }

  private func rewind(to offset: Int64) throws {
    guard body.isReplayable else {
      throw Refusal(
        "the server has only \(offset) of \(start) bytes that it had before, but the body can be produced only once",
        kind: .encoding)
    }
    (chunks, buffer, start, isRead) = (nil, Data(), 0, false)
  }

  private func drop(to offset: Int64) {
    let count = Int(min(offset, end) - start)
    guard count > 0 else { return }
    // A slice avoids a copy for each chunk. The dropped bytes stay in memory until the next copy.
    buffer = buffer.dropFirst(count)
    if buffer.startIndex >= buffer.count { buffer = Data(buffer) }
    start += Int64(count)
  }

  private func read() async throws -> Bool {
    guard !isRead else { return false }
    // A stream in memory may never suspend, so the loop must check for a cancellation.
    try Task.checkCancellation()
    var chunks = chunks ?? stream.makeAsyncIterator()
    let piece = try await chunks.next()
    self.chunks = chunks
    if let piece { buffer.append(piece) } else { isRead = true }
    if let expected, isRead ? end != expected : end > expected { throw Refusal.otherBody }
    if let length, isRead ? end != length : end > length {
      throw Refusal(
        "the body has \(isRead ? "\(end)" : "more than \(length)") bytes, but \(length) were announced",
        kind: .encoding)
    }
    return !isRead
  }

  private var stream: BodyStream {
    switch body.content {
    case .none: BodyStream(Data())
    case .data(let data): BodyStream(data)
    case .stream(let stream, _): stream
    }
  }
}

extension Refusal {
  static let otherBody = Refusal(
    "the body differs from the body that the upload was started with: start a new upload without the stored state",
    kind: .encoding)

  fileprivate static func noSuchByte(_ offset: Int64, of end: Int64) -> Refusal {
    Refusal("the body ends after \(end) bytes, but the server has \(offset) bytes", kind: .encoding)
  }
}

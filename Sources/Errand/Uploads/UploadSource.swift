import Foundation

/// Gives what is uploaded piece by piece, from where the server is; used by one task, one call at a time.
protocol UploadSource: AnyObject {
  /// In bytes; `nil` where nobody knows it before the end.
  var length: Int64? { get }
  /// What tells the file from another one; `nil` where it is none.
  var stamp: String? { get }

  /// The next chunk from an offset.
  ///
  /// - Parameters:
  ///   - size: how long it is to be.
  ///   - leastRest: a rest shorter than this goes with it.
  func chunk(at offset: Int64, size: Int64, leastRest: Int64) async throws -> UploadChunk
}

extension RequestBody {
  /// The body as something to be uploaded, whose files have been looked at.
  ///
  /// - Parameter expected: the number of bytes of the upload that is gone on with; `nil` where nobody knows that number.
  func uploadSource(expecting expected: Int64?) -> any UploadSource {
    if let length, slice(0..<0) != nil { return SlicedSource(self, length: length) }
    return StreamedSource(self, expecting: expected)
  }

  /// Some of its bytes; `nil` where they cannot be read without those before them.
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

/// Bytes in memory or in a file.
private final class SlicedSource: UploadSource {
  private let body: RequestBody
  private let size: Int64

  init(_ body: RequestBody, length: Int64) { (self.body, size) = (body, length) }

  var length: Int64? { size }
  var stamp: String? { body.provider?.stamp }

  func chunk(at offset: Int64, size wanted: Int64, leastRest: Int64) async throws -> UploadChunk {
    guard (0...size).contains(offset) else { throw Refusal.noSuchByte(offset, of: size) }
    let rest = size - offset
    let isLast = rest - wanted < max(leastRest, 1)
    let count = isLast ? rest : wanted
    guard let slice = body.slice(offset..<offset + count) else {
      throw Refusal("the body cannot be read from its byte \(offset) on", kind: .encoding)
    }
    return UploadChunk(offset: offset, count: count, body: slice, whole: isLast ? size : nil)
  }
}

/// Bytes that come one after another; the chunk that is being sent is kept, as the server may not get all of it.
final class StreamedSource: UploadSource {
  private let body: RequestBody
  private var chunks: BodyStream.Iterator?
  /// What comes from ``start`` on, as far as it was read.
  private var buffer = Data()
  private var start: Int64 = 0
  private var isRead = false
  let length: Int64?
  var stamp: String? { body.provider?.stamp }

  /// The number of bytes of the upload that is gone on with, where the body does not say its own.
  private let expected: Int64?

  init(_ body: RequestBody, expecting expected: Int64? = nil) {
    self.body = body
    length = body.length
    self.expected = body.length == nil ? expected : nil
  }

  private var end: Int64 { start + Int64(buffer.count) }

  /// The number of bytes in memory, those before the buffer's beginning included.
  var kept: Int { buffer.endIndex }

  func chunk(at offset: Int64, size: Int64, leastRest: Int64) async throws -> UploadChunk {
    guard offset >= 0 else { throw Refusal.noSuchByte(offset, of: end) }
    if offset < start { try rewind(to: offset) }
    while end < offset, try await read() { drop(to: offset) }
    guard end >= offset else {
      throw Refusal.noSuchByte(offset, of: end)
    }
    drop(to: offset)
    // One more tells whether this is the end.
    let wanted = min(size, .max - leastRest - 1) + max(leastRest, 1)
    while Int64(buffer.count) < wanted, try await read() {}
    let isLast = isRead && Int64(buffer.count) < wanted
    let bytes = isLast ? buffer : buffer.prefix(Int(size))
    return UploadChunk(
      offset: offset, count: Int64(bytes.count), body: .data(Data(bytes)), whole: isLast ? end : nil)
  }

  private func rewind(to offset: Int64) throws {
    guard body.isReplayable else {
      throw Refusal(
        "the server has \(offset) bytes of \(start) that it had before, and the body can be produced only once",
        kind: .encoding)
    }
    (chunks, buffer, start, isRead) = (nil, Data(), 0, false)
  }

  private func drop(to offset: Int64) {
    let count = Int(min(offset, end) - start)
    guard count > 0 else { return }
    // A slice, so that the rest of a long piece is not copied for each chunk. A slice keeps the bytes before it: the rest is copied once they are as many.
    buffer = buffer.dropFirst(count)
    if buffer.startIndex >= buffer.count { buffer = Data(buffer) }
    start += Int64(count)
  }

  /// Reads on; `false` at the end.
  private func read() async throws -> Bool {
    guard !isRead else { return false }
    // A stream whose bytes are all there never waits, and the server may be far.
    try Task.checkCancellation()
    var chunks = chunks ?? stream.makeAsyncIterator()
    let piece = try await chunks.next()
    self.chunks = chunks
    if let piece { buffer.append(piece) } else { isRead = true }
    if let expected, isRead ? end != expected : end > expected { throw Refusal.otherBody }
    if let length, isRead ? end != length : end > length {
      throw Refusal(
        "the body has \(isRead ? "\(end)" : "more than \(length)") bytes, and \(length) were announced",
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
  /// The error of a body that is not the one of a stored state.
  static let otherBody = Refusal(
    "the body is not the one that the upload was begun with, or was changed since: upload it anew, without the state",
    kind: .encoding)

  /// The error of a body that ends before the offset of the server, or of an offset that no body has.
  fileprivate static func noSuchByte(_ offset: Int64, of end: Int64) -> Refusal {
    Refusal("the body ends after \(end) bytes, and the server has \(offset) of it", kind: .encoding)
  }
}

import Foundation

/// The bytes of a stored body: in memory, or in a file that is read when they are wanted.
struct CachedBody: Sendable {
  private enum Storage: Sendable {
    case data(Data)
    case file(RegularFile, Range<Int64>)
  }

  private let storage: Storage
  /// How many bytes it has.
  let count: Int

  /// Makes one of bytes in memory.
  init(_ data: Data) {
    // A slice has indices of its own, which nobody expects of a body.
    let whole = data.startIndex == 0 ? data : data.subdata(in: data.indices)
    (storage, count) = (.data(whole), data.count)
  }

  /// The bytes of a file in that range, which stays open for as long as they may be read.
  init(_ file: RegularFile, range: Range<Int64>) {
    (storage, count) = (.file(file, range), range.count)
  }

  /// All bytes; throws where the file cannot be read any more.
  func data() throws -> Data {
    switch storage {
    case .data(let data): return data
    case .file(let file, let range):
      var data = Data(capacity: count)
      while data.count < count {
        let piece = try file.read(at: range.lowerBound + Int64(data.count), count: count - data.count)
        if piece.isEmpty { throw RegularFile.Problem("is shorter than it was") }
        data.append(piece)
      }
      return data
    }
  }

  /// A part of it.
  func bytes(_ part: Range<Int>) -> CachedBody {
    switch storage {
    case .data(let data):
      CachedBody(data.subdata(in: part))
    case .file(let file, let range):
      CachedBody(
        file, range: range.lowerBound + Int64(part.lowerBound)..<range.lowerBound + Int64(part.upperBound))
    }
  }

  /// The bytes as a transport gives them.
  var stream: BodyStream {
    switch storage {
    case .data(let data): BodyStream(data)
    case .file(let file, let range): BodyStream(FileSource(file, range: range))
    }
  }

  /// The bytes, with the summary of the transfer that found them valid.
  func stream(with transfer: BodyStream) -> BodyStream {
    switch storage {
    case .data(let data): BodyStream(data, summary: transfer.summary)
    case .file: BodyStream(ConfirmedBody(stream, after: transfer))
    }
  }

  /// A stored body that a transfer found valid.
  private final class ConfirmedBody: BodySource {
    private let transfer: BodyStream
    // Guard: the one consumer, which makes one call at a time.
    nonisolated(unsafe) private var iterator: BodyStream.Iterator

    init(_ body: BodyStream, after transfer: BodyStream) {
      self.transfer = transfer
      iterator = body.makeAsyncIterator()
    }

    var summary: TransportSummary { transfer.summary }

    func next() async throws -> Data? { try await iterator.next() }

    func cancel() {}
  }

  /// Reads a file piece by piece.
  private final class FileSource: BodySource {
    private let file: RegularFile
    private let end: Int64
    /// Where the next piece begins.
    private let place: Locked<Int64>

    init(_ file: RegularFile, range: Range<Int64>) {
      (self.file, end, place) = (file, range.upperBound, Locked(range.lowerBound))
    }

    func next() async throws -> Data? {
      let start = place.withLock { $0 }
      guard start < end else { return nil }
      let piece = try? file.read(at: start, count: Int(min(end - start, 65_536)))
      guard let piece, !piece.isEmpty else {
        throw TransportError(.corruptBody, "the cached body cannot be read to its end")
      }
      place.withLock { $0 = start + Int64(piece.count) }
      return piece
    }
  }
}

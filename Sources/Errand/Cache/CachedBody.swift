import Foundation

struct CachedBody: Sendable {
  private enum Storage: Sendable {
    case data(Data)
    case file(RegularFile, Range<Int64>)
  }

  private let storage: Storage
  let count: Int

  init(_ data: Data) {
    // `bytes(_:)` assumes indices from 0.
    let whole = data.startIndex == 0 ? data : data.subdata(in: data.indices)
    (storage, count) = (.data(whole), data.count)
  }

  /// The file stays open as long as the body exists.
  init(_ file: RegularFile, range: Range<Int64>) {
    (storage, count) = (.file(file, range), range.count)
  }

  func data() throws -> Data {
    switch storage {
    case .data(let data): return data
    case .file(let file, let range):
      var data = Data(capacity: count)
      while data.count < count {
        let piece = try file.read(at: range.lowerBound + Int64(data.count), count: count - data.count)
        if piece.isEmpty { throw RegularFile.Problem("has become shorter") }
        data.append(piece)
      }
      return data
    }
  }

  func bytes(_ part: Range<Int>) -> CachedBody {
    switch storage {
    case .data(let data):
      CachedBody(data.subdata(in: part))
    case .file(let file, let range):
      CachedBody(
        file, range: range.lowerBound + Int64(part.lowerBound)..<range.lowerBound + Int64(part.upperBound))
    }
  }

  var stream: BodyStream {
    switch storage {
    case .data(let data): BodyStream(data)
    case .file(let file, let range): BodyStream(FileSource(file, range: range))
    }
  }

  /// Returns the stored bytes, with the summary of `transfer`, for example of a 304.
  func stream(with transfer: BodyStream) -> BodyStream {
    switch storage {
    case .data(let data): BodyStream(data, summary: transfer.summary)
    case .file: BodyStream(ConfirmedBody(stream, after: transfer))
    }
  }

  private final class ConfirmedBody: BodySource {
    private let transfer: BodyStream
    // Guarded by the single consumer, whose calls never overlap.
    nonisolated(unsafe) private var iterator: BodyStream.Iterator

    init(_ body: BodyStream, after transfer: BodyStream) {
      self.transfer = transfer
      iterator = body.makeAsyncIterator()
    }

    var summary: TransportSummary { transfer.summary }

    func next() async throws -> Data? { try await iterator.next() }

    func cancel() {}
  }

  private final class FileSource: BodySource {
    private let file: RegularFile
    private let end: Int64
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

#if os(Linux)
import Foundation

/// A body whose content codings are undone as it is read, on the consumer's side.
final class DecodedSource: BodySource, @unchecked Sendable {
  private let coded: BodyStream
  private let cancellation: CancellationSignal
  // Guard of `chunks`, `decoders`, `meter` and `isAtEnd`: `next` has one caller, one call at a time (see `BodySource`).
  private var chunks: BodyStream.Iterator
  private let decoders: [any BodyDecoder]
  private var meter: DecodingMeter
  private var isAtEnd = false

  init(
    _ coded: BodyStream, decoders: [any BodyDecoder], for request: TransportRequest
  ) {
    self.coded = coded
    self.decoders = decoders
    chunks = coded.makeAsyncIterator()
    cancellation = request.cancellation
    meter = DecodingMeter(request.limits, decoders: decoders.count)
  }

  func next() async throws -> Data? {
    if isAtEnd { return nil }
    do {
      let chunk = try await decoded(by: decoders.count)
      if chunk == nil { isAtEnd = true }
      return chunk
    } catch {
      isAtEnd = true
      coded.cancel()
      throw error
    }
  }

  func cancel() { coded.cancel() }

  var summary: TransportSummary { coded.summary }

  /// The next chunk after the first `count` decoders.
  private func decoded(by count: Int) async throws -> Data? {
    guard count > 0 else {
      let chunk = try await chunks.next()
      meter.received += chunk?.count ?? 0
      return chunk
    }
    let decoder = decoders[count - 1]
    while true {
      // A decoder may take much and give nothing, without a wait in between.
      if cancellation.isCancelled { throw TransportError.cancelled }
      if let chunk = try decoder.next() {
        try meter.add(decoded: chunk.count, by: count - 1)
        return chunk
      }
      guard let input = try await decoded(by: count - 1) else {
        try decoder.finish()
        return nil
      }
      decoder.add(input)
    }
  }
}

extension BodyStream {
  /// This body without the content codings that its head names, as `CurlTransport` gives it; with one that cannot be undone it
  /// stays as it is.
  package func decoded(_ headers: HTTPHeaders, for request: TransportRequest) throws -> BodyStream {
    let decoders = try ContentCoding.decoders(for: headers)
    return decoders.isEmpty ? self : BodyStream(DecodedSource(self, decoders: decoders, for: request))
  }
}
#endif

#if os(Linux)
import Foundation

final class DecodedSource: BodySource, @unchecked Sendable {
  private let coded: BodyStream
  private let cancellation: CancellationSignal
  // Guarded by the contract of `BodySource`: calls of `next` never overlap. Covers `chunks`, `decoders`,
  // `meter` and `isAtEnd`.
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

  private func decoded(by count: Int) async throws -> Data? {
    guard count > 0 else {
      let chunk = try await chunks.next()
      meter.received += chunk?.count ?? 0
      return chunk
    }
    let decoder = decoders[count - 1]
    while true {
      // A decoder may consume much input without suspending the task, so the loop checks for a cancellation.
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
  /// Returns the decoded body.
  ///
  /// If there is no coding, or a decoder is missing, returns the same body.
  package func decoded(_ headers: HTTPHeaders, for request: TransportRequest) throws -> BodyStream {
    let decoders = try ContentCoding.decoders(for: headers)
    return decoders.isEmpty ? self : BodyStream(DecodedSource(self, decoders: decoders, for: request))
  }
}
#endif

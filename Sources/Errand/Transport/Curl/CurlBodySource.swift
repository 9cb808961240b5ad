#if os(Linux)
import Foundation

/// The body of a response: takes the chunks from the exchange and undoes the content codings, on the consumer's side.
final class CurlBodySource: BodySource, @unchecked Sendable {
  private let exchange: CurlExchange
  private let lease: CurlLoopLease
  // Guard of `decoders`, `meter` and `isAtEnd`: `next` has one caller, one call at a time (see `BodySource`).
  private let decoders: [any BodyDecoder]
  private var meter: DecodingMeter
  private var isAtEnd = false

  init(_ exchange: CurlExchange, decoders: [any BodyDecoder], lease: CurlLoopLease) {
    self.exchange = exchange
    self.decoders = decoders
    self.lease = lease
    meter = DecodingMeter(exchange.request.limits, decoders: decoders.count)
  }

  /// What undoes the codings; gives the transfer up when they cannot be undone.
  static func decoders(for headers: HTTPHeaders, of exchange: CurlExchange) throws -> [any BodyDecoder] {
    do {
      return try ContentCoding.decoders(for: headers)
    } catch {
      exchange.giveUp()
      throw error
    }
  }

  /// The rest cannot be decoded.
  deinit { exchange.giveUp() }

  func next() async throws -> Data? {
    if isAtEnd { return nil }
    // The transfer may have ended before the signal fired, with chunks still to be read.
    if exchange.request.cancellation.isCancelled { exchange.giveUp() }
    do {
      let chunk = try await decoded(by: decoders.count)
      if chunk == nil { isAtEnd = true }
      return chunk
    } catch {
      isAtEnd = true
      exchange.giveUp()
      throw error
    }
  }

  func cancel() { exchange.giveUp() }

  var summary: TransportSummary { exchange.summary }

  /// The next chunk after the first `count` decoders.
  private func decoded(by count: Int) async throws -> Data? {
    guard count > 0 else {
      let chunk = try await exchange.nextChunk()
      meter.received += chunk?.count ?? 0
      return chunk
    }
    let decoder = decoders[count - 1]
    while true {
      // A decoder may take much and give nothing, without a wait in between.
      if exchange.request.cancellation.isCancelled { throw TransportError.cancelled }
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
#endif

#if os(Linux)
import Foundation

/// The body of a response: takes the chunks from the exchange, on the consumer's side.
final class CurlBodySource: BodySource, @unchecked Sendable {
  private let exchange: CurlExchange
  private let lease: CurlLoopLease
  // Guard of `isAtEnd`: `next` has one caller, one call at a time (see `BodySource`).
  private var isAtEnd = false

  init(_ exchange: CurlExchange, lease: CurlLoopLease) {
    self.exchange = exchange
    self.lease = lease
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

  /// The rest is not wanted.
  deinit { exchange.giveUp() }

  func next() async throws -> Data? {
    if isAtEnd { return nil }
    // The transfer may have ended before the signal fired, with chunks still to be read.
    if exchange.request.cancellation.isCancelled { exchange.giveUp() }
    do {
      let chunk = try await exchange.nextChunk()
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
}
#endif

#if os(Linux)
import Foundation

/// A response body that the consumer's task reads from the exchange.
final class CurlBodySource: BodySource, @unchecked Sendable {
  private let exchange: CurlExchange
  private let lease: CurlLoopLease
  // `isAtEnd` needs no lock, because by the contract of `BodySource`, `next` has a single caller, with a
  // single call at a time.
  private var isAtEnd = false

  init(_ exchange: CurlExchange, lease: CurlLoopLease) {
    self.exchange = exchange
    self.lease = lease
  }

  /// Returns the decoders for the content codings; ends the transfer and throws for too many codings.
  static func decoders(for headers: HTTPHeaders, of exchange: CurlExchange) throws -> [any BodyDecoder] {
    do {
      return try ContentCoding.decoders(for: headers)
    } catch {
      exchange.abandon()
      throw error
    }
  }

  deinit { exchange.abandon() }

  func next() async throws -> Data? {
    if isAtEnd { return nil }
    // After a cancellation no chunk is delivered, even if the transfer has ended with unread chunks.
    if exchange.request.cancellation.isCancelled { exchange.abandon() }
    do {
      let chunk = try await exchange.nextChunk()
      if chunk == nil { isAtEnd = true }
      return chunk
    } catch {
      isAtEnd = true
      exchange.abandon()
      throw error
    }
  }

  func cancel() { exchange.abandon() }

  var summary: TransportSummary { exchange.summary }
}
#endif

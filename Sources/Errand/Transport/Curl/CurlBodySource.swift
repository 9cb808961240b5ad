#if os(Linux)
import Foundation

final class CurlBodySource: BodySource, @unchecked Sendable {
  private let exchange: CurlExchange
  private let lease: CurlLoopLease
  // Needs no lock, because calls of `next` must not overlap (see `BodySource`).
  private var isAtEnd = false

  init(_ exchange: CurlExchange, lease: CurlLoopLease) {
    self.exchange = exchange
    self.lease = lease
  }

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

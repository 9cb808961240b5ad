#if os(Linux)
import Foundation
import Testing

@testable import Errand

struct Whole: Equatable {
  var status: HTTPResponse.Status
  var body: Data
  var trailers: HTTPHeaders

  var text: String { String(decoding: body, as: UTF8.self) }
}

extension CurlTransport {
  func whole(
    _ url: URL, _ method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none,
    timeout: Duration = .seconds(300), cancellation: CancellationSignal = CancellationSignal()
  ) async throws -> Whole {
    let request = HTTPRequest(url: url, method: method, headers: headers, body: body)
    var limits = TransferLimits()
    limits.connectTimeout = timeout
    let response = try await send(
      TransportRequest(request, timeout: timeout, limits: limits, cancellation: cancellation))
    let body = try await response.body.all()
    return Whole(status: response.head.status, body: body, trailers: response.body.summary.trailers)
  }

  func failure(
    _ url: URL, _ method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none,
    timeout: Duration = .seconds(300), cancellation: CancellationSignal = CancellationSignal()
  ) async -> TransportError? {
    do {
      _ = try await whole(
        url, method, headers: headers, body: body, timeout: timeout, cancellation: cancellation)
      return nil
    } catch {
      return error as? TransportError
    }
  }

  func get(_ url: URL) async throws -> TransportResponse {
    try await send(TransportRequest(HTTPRequest(url: url), timeout: .seconds(300)))
  }
}

/// A wrong order is visible.
func patternedBytes(_ count: Int) -> Data {
  // A block with a prime length, so no power of two repeats the pattern.
  let block = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  var bytes = Data(capacity: count + block.count)
  while bytes.count < count { bytes.append(block) }
  return bytes.prefix(count)
}

/// With an optional error at the end.
struct Chunks: AsyncSequence, Sendable {
  var list: [Data]
  var failure: (any Error)?

  init(_ list: [String], failure: (any Error)? = nil) {
    self.list = list.map { Data($0.utf8) }
    self.failure = failure
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: list, failure: failure) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: [Data]
    let failure: (any Error)?

    mutating func next() async throws -> Data? {
      if rest.isEmpty {
        if let failure { throw failure }
        return nil
      }
      return rest.removeFirst()
    }
  }
}
#endif

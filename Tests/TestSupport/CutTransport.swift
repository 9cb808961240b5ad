public import Errand
public import Foundation

/// A transport whose bodies end after a number of bytes, all together: with an error, or with what the test does there.
public final class CutTransport: Transport, Sendable {
  private let transport: any Transport
  private let rest: Locked<Int>
  private let cut: @Sendable () throws -> Void

  /// - Parameters:
  ///   - count: how many bytes may pass.
  ///   - cut: called for the first byte behind them, or for the end of a body that ends there; by default the connection is lost.
  public init(
    _ transport: any Transport, after count: Int,
    cut: @escaping @Sendable () throws -> Void = {
      throw TransportError(.connectionLost, "the connection was cut by the test")
    }
  ) {
    self.transport = transport
    self.cut = cut
    rest = Locked(count)
  }

  /// Those of the transport it is around.
  public var capabilities: TransportCapabilities { transport.capabilities }

  /// Resets those of the transport it is around.
  public func resetConnections() { transport.resetConnections() }

  /// What the other transport shows.
  public func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  /// Sends the request over the transport it is around.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.send(request)
    response.body = BodyStream(CutBody(response.body, self))
    return response
  }

  /// How many of these bytes pass; no more than are left.
  fileprivate func pass(_ count: Int) -> Int {
    rest.withLock { rest in
      let passed = min(count, rest)
      rest -= passed
      return passed
    }
  }

  fileprivate func end() throws { try cut() }

  fileprivate var isSpent: Bool { rest.withLock { $0 == 0 } }
}

private final class CutBody: BodySource, @unchecked Sendable {
  private let body: BodyStream
  private let transport: CutTransport
  // Guard: `next` has one caller, one call at a time (see `BodySource`).
  private var iterator: BodyStream.Iterator

  init(_ body: BodyStream, _ transport: CutTransport) {
    self.body = body
    self.transport = transport
    iterator = body.makeAsyncIterator()
  }

  var summary: TransportSummary { body.summary }

  func next() async throws -> Data? {
    if transport.isSpent { try transport.end() }
    return try await iterator.next().map { $0.prefix(transport.pass($0.count)) }
  }

  func cancel() { body.cancel() }
}

public import Errand
public import Foundation

/// Cuts response bodies after a number of bytes, with an error or an action.
public final class CutTransport: Transport, Sendable {
  private let transport: any Transport
  private let rest: Locked<Int>
  private let cut: @Sendable () throws -> Void

  /// `count` bytes pass; the default of `cut` loses the connection.
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

  /// As of the wrapped transport.
  public var capabilities: TransportCapabilities { transport.capabilities }

  /// As of the wrapped transport.
  public func resetConnections() { transport.resetConnections() }

  /// As of the wrapped transport.
  public func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  /// As of the wrapped transport.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.send(request)
    response.body = BodyStream(CutBody(response.body, self))
    return response
  }

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
  // Guard: `next` has one caller, with one call at a time (see `BodySource`).
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

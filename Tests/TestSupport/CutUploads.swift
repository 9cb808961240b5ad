public import Errand
public import Foundation

/// A transport whose request bodies end after a number of bytes, all together: with an error, or with what the test does there.
public final class CutUploads: Transport, Sendable {
  private let transport: any Transport
  /// How many bytes may pass until each cut.
  private let cuts: Locked<[Int]>
  private let cut: @Sendable () throws -> Void

  /// - Parameters:
  ///   - counts: how many bytes may pass until each cut, from the one before on; then all do.
  ///   - cut: called for the first byte behind them; by default the connection is lost.
  public init(
    _ transport: any Transport, after counts: [Int],
    cut: @escaping @Sendable () throws -> Void = {
      throw TransportError(.connectionLost, "the connection was cut by the test")
    }
  ) {
    self.transport = transport
    self.cut = cut
    cuts = Locked(counts)
  }

  /// How many cuts are still to come.
  public var cutsLeft: Int { cuts.withLock(\.count) }

  /// Those of the transport it is around.
  public var capabilities: TransportCapabilities { transport.capabilities }

  /// Resets those of the transport it is around.
  public func resetConnections() { transport.resetConnections() }

  /// What the other transport shows.
  public func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  /// Sends the request over the transport it is around.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    let body = request.request.body
    if let length = body.length, length > 0, let bytes = body.replay {
      request.request.body = .stream(CutChunks(body: bytes, transport: self), length: length)
    }
    return try await transport.send(request)
  }

  /// How many of these bytes pass; throws where none does.
  fileprivate func pass(_ count: Int) throws -> Int {
    let passed: Int? = cuts.withLock { cuts in
      guard let rest = cuts.first else { return count }
      if rest == 0 {
        cuts.removeFirst()
        return nil
      }
      cuts[0] = max(rest - count, 0)
      return min(count, rest)
    }
    if let passed { return passed }
    try cut()
    return count
  }
}

private struct CutChunks: AsyncSequence, Sendable {
  let body: BodyStream
  let transport: CutUploads

  func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), transport: transport) }

  struct Iterator: AsyncIteratorProtocol {
    var body: BodyStream.Iterator
    let transport: CutUploads
    var pending = Data()

    mutating func next() async throws -> Data? {
      if pending.isEmpty {
        guard let chunk = try await body.next() else { return nil }
        pending = chunk
      }
      let count = try transport.pass(pending.count)
      defer { pending = Data(pending.dropFirst(count)) }
      return Data(pending.prefix(count))
    }
  }
}

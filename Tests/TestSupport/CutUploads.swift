public import Errand
public import Foundation

/// Cuts request bodies after a number of bytes, with an error or an action.
///
/// A body of unknown length, or a body that cannot be sent twice, is not cut.
public final class CutUploads: Transport, Sendable {
  private let transport: any Transport
  private let cuts: Locked<[Int]>
  private let cut: @Sendable () throws -> Void

  /// `counts` are numbers of bytes, each from the previous cut; the default of `cut` loses the connection.
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

  /// The number of remaining cuts.
  public var cutsLeft: Int { cuts.withLock(\.count) }

  /// As of the wrapped transport.
  public var capabilities: TransportCapabilities { transport.capabilities }

  /// As of the wrapped transport.
  public func resetConnections() { transport.resetConnections() }

  /// As of the wrapped transport.
  public func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  /// As of the wrapped transport.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    let body = request.request.body
    if let length = body.length, length > 0, let bytes = body.replay {
      request.request.body = .stream(CutChunks(body: bytes, transport: self), length: length)
    }
    return try await transport.send(request)
  }

  /// Throws at a cut.
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

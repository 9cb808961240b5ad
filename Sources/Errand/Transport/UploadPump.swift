import Foundation

/// Reads a body stream for a caller that must not wait.
package final class UploadPump: Sendable {
  package enum Answer: Equatable { case bytes(Int), notYet, end }

  private struct State {
    var task: Task<Void, Never>?
    var chunk = Data()
    var taken: Int64 = 0
    var isAtEnd = false
    var isStopped = false
    var readCount = 0
    /// True if the network side waits for `isReadable`.
    var isHungry = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let stream: BodyStream
  private let coding: (any CodingSource)?
  private let length: Int64?
  private let state = Locked(State())
  private let isReadable: @Sendable () -> Void
  private let didFail: @Sendable (any Error) -> Void

  /// Creates a pump.
  ///
  /// `length` is the promised length of the stream; `nil` if unknown. After a `.notYet` of ``read(into:)``,
  /// the pump calls `isReadable` when `read` can go on. The pump calls `didFail` if the stream fails or
  /// breaks the promised length.
  package init(
    _ stream: BodyStream, length: Int64?, isReadable: @escaping @Sendable () -> Void,
    didFail: @escaping @Sendable (any Error) -> Void
  ) {
    (self.stream, coding) = (stream, stream.coding)
    self.length = length
    self.isReadable = isReadable
    self.didFail = didFail
  }

  /// Returns available bytes without waiting.
  ///
  /// The first call starts reading the stream.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Answer {
    let (answer, waiter): (Answer, CheckedContinuation<Void, Never>?) = state.withLock { state in
      guard !state.chunk.isEmpty else {
        state.isHungry = !state.isAtEnd
        if state.task == nil { state.task = Task { await self.run() } }
        return (state.isAtEnd ? .end : .notYet, nil)
      }
      let count = state.chunk.copyBytes(to: buffer)
      state.chunk = state.chunk.dropFirst(count)
      state.taken += Int64(count)
      guard state.chunk.isEmpty else { return (.bytes(count), nil) }
      defer { state.waiter = nil }
      return (.bytes(count), state.waiter)
    }
    waiter?.resume()
    return answer
  }

  var isUntouched: Bool { state.withLock { $0.taken == 0 } }

  /// The number of chunks requested from the stream, plus the input chunks of a compressed body.
  var readCount: Int { state.withLock { $0.readCount } + codedCount }

  package var codedCount: Int { coding?.takenCount ?? 0 }

  package func stop() {
    let (task, waiter, isAtEnd) = state.withLock { state in
      state.isStopped = true
      defer { (state.task, state.waiter) = (nil, nil) }
      return (state.task, state.waiter, state.isAtEnd)
    }
    guard !isAtEnd else { return }
    task?.cancel()
    stream.cancel()
    waiter?.resume()
  }

  private func run() async {
    do {
      try await pump()
    } catch {
      if !state.withLock({ $0.isStopped }) { didFail(error) }
    }
  }

  private func pump() async throws {
    var iterator = stream.makeAsyncIterator()
    var total: Int64 = 0
    var chunk = try await next(&iterator)
    while let current = chunk {
      total += Int64(current.count)
      if let length, total > length { throw PromisedLength.tooMany(for: length) }
      // Before the last promised chunk, looks for an excess chunk. The network side stops reading after the
      // promised bytes, and would not notice the excess.
      let isLast = total == length
      if isLast, try await next(&iterator) != nil { throw PromisedLength.tooMany(for: total) }
      guard await offer(current) else { return }
      chunk = isLast ? nil : try await next(&iterator)
    }
    if let length, total < length { throw PromisedLength.tooFew(total, for: length) }
    offerEnd()
  }

  private func next(_ iterator: inout BodyStream.Iterator) async throws -> Data? {
    state.withLock { $0.readCount += 1 }
    while let chunk = try await iterator.next() {
      if !chunk.isEmpty { return chunk }
    }
    return nil
  }

  private func offer(_ chunk: Data) async -> Bool {
    // The previous chunk is released outside the lock, because its deallocator may run the app's code.
    let (wasHungry, _) = state.withLock { state in
      defer { (state.isHungry, state.chunk) = (false, chunk) }
      return (state.isHungry, state.chunk)
    }
    if wasHungry { isReadable() }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.isStopped || state.chunk.isEmpty { return true }
        state.waiter = continuation
        return false
      }
      if isDone { continuation.resume() }
    }
    return !state.withLock { $0.isStopped }
  }

  private func offerEnd() {
    let wasHungry = state.withLock { state in
      defer { state.isHungry = false }
      state.isAtEnd = true
      return state.isHungry
    }
    if wasHungry { isReadable() }
  }
}

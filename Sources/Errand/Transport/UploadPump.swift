import Foundation

/// Carries a body stream to the network's side: a task pulls one chunk, and the next one when that has been read.
final class UploadPump: Sendable {
  /// What the network's side gets when it asks for bytes.
  enum Answer: Equatable { case bytes(Int), notYet, end }

  private struct State {
    var task: Task<Void, Never>?
    var chunk = Data()
    var taken: Int64 = 0
    var isAtEnd = false
    var isStopped = false
    /// How often the stream was asked.
    var askings = 0
    /// It asked in vain and waits to be told.
    var isHungry = false
    /// The task waits for the chunk to be read.
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let stream: BodyStream
  private let coding: (any CodingSource)?
  private let length: Int64?
  private let state = Locked(State())
  private let isReadable: @Sendable () -> Void
  private let didFail: @Sendable (any Error) -> Void

  /// - Parameters:
  ///   - isReadable: called when there is something to read again, after an answer `.notYet`.
  ///   - didFail: called once at most, with what the stream threw or with a broken promise of length.
  init(
    _ stream: BodyStream, length: Int64?, isReadable: @escaping @Sendable () -> Void,
    didFail: @escaping @Sendable (any Error) -> Void
  ) {
    (self.stream, coding) = (stream, stream.coding)
    self.length = length
    self.isReadable = isReadable
    self.didFail = didFail
  }

  static func tooMany(for length: Int64) -> TransportError {
    TransportError(.encoding, "the body stream gave more than the \(length) bytes it promised")
  }

  static func tooFew(_ count: Int64, for length: Int64) -> TransportError {
    TransportError(
      .encoding, "the body stream ended after \(count) of the \(length) bytes it promised")
  }

  /// Copies what is there; the first call starts the pulling, so a request that cannot connect pulls nothing.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Answer {
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

  /// Whether nothing has been read yet, so that a second sending can start where the first one did.
  var isUntouched: Bool { state.withLock { $0.taken == 0 } }

  /// How often the stream was asked for a chunk: what it has not been asked for it cannot be late with.
  ///
  /// A coded stream, such as one in gzip, asks by itself: what it has taken counts too.
  var askings: Int { state.withLock { $0.askings } + codedCount }

  /// How many chunks a coded stream has taken; 0 for another stream.
  var codedCount: Int { coding?.takenCount ?? 0 }

  /// Gives the stream up; does nothing after its end.
  func stop() {
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
      if let length, total > length { throw Self.tooMany(for: length) }
      // It takes the promised number of bytes and no more, so the last chunk waits for the stream's end.
      let isLast = total == length
      if isLast, try await next(&iterator) != nil { throw Self.tooMany(for: total) }
      guard await offer(current) else { return }
      chunk = isLast ? nil : try await next(&iterator)
    }
    if let length, total < length { throw Self.tooFew(total, for: length) }
    offerEnd()
  }

  private func next(_ iterator: inout BodyStream.Iterator) async throws -> Data? {
    state.withLock { $0.askings += 1 }
    while let chunk = try await iterator.next() {
      if !chunk.isEmpty { return chunk }
    }
    return nil
  }

  /// Puts a chunk out and waits until it is read; `false` when it will not be read.
  private func offer(_ chunk: Data) async -> Bool {
    // The one before is released after the lock: its bytes may run code of their owner's as they go.
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

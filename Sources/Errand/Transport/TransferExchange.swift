import Foundation

/// What the network's side of a transfer and its consumer share.
struct TransferMailbox {
  var head: HTTPResponse?
  var chunks = FIFOQueue<Data>()
  var buffered = 0
  var ending: Result<Void, any Error>?
  var summary: TransportSummary?
  /// The network's side waits to be told that the consumer has made room.
  var isPaused = false
  /// The consumer wants no more; what is buffered is gone.
  var isGivenUp = false
  var waiter: CheckedContinuation<Void, Never>?
  var handlers: Handlers?
  /// The slot that a transfer keeps which was ended here, until the network's side has closed its connection.
  var closingSlot: OriginSlots.Lease?

  /// What is to be forgotten with the end.
  struct Handlers {
    let cancellation: CancellationSignal.HandlerID
    let suspension: SuspensionSignal.HandlerID?
  }

  /// The network's side stops receiving with this many bytes waiting for the consumer.
  static let highWaterMark = 1 << 20
  /// It goes on receiving when no more than this many are left.
  static let lowWaterMark = 1 << 18

  fileprivate enum Pull {
    case chunk(Data, makesRoom: Bool)
    case end
    case notYet
  }

  fileprivate func takeHead() throws -> HTTPResponse? {
    if let head, !isGivenUp { return head }
    guard let ending else { return nil }
    try ending.get()
    // Waiting on would never end.
    throw TransportError(.invalidResponse, "the transfer ended without a response")
  }

  fileprivate mutating func pull() throws -> Pull {
    guard let chunk = chunks.popFirst() else {
      guard let ending else { return .notYet }
      try ending.get()
      return .end
    }
    buffered -= chunk.count
    let makesRoom = isPaused && buffered <= Self.lowWaterMark
    if makesRoom { isPaused = false }
    return .chunk(chunk, makesRoom: makesRoom)
  }
}

/// One transfer as its consumer and the network's side know it: the mailbox between them, and what each asks of the other.
protocol TransferExchange: AnyObject, Sendable {
  var request: TransportRequest { get }
  var mailbox: Locked<TransferMailbox> { get }

  /// Hands the transfer to the network's side, once.
  func begin()
  /// Has the network's side stop: the transfer was ended here. It may come before `begin`, and after the end of all; `didStop` follows in any case.
  func stop()
  /// Goes on receiving: the consumer has made room.
  func makeRoom()
  /// Rests or goes on, as the dispatch is suspended or not.
  func followSuspension()
}

extension TransferExchange {
  /// Hands itself to the network's side, unless it is cancelled already.
  func start() {
    let handlers = TransferMailbox.Handlers(
      cancellation: request.cancellation.onCancel { [self] in giveUp() },
      suspension: request.suspension?.onChange { [self] in followSuspension() })
    let isEnded = mailbox.withLock { mailbox in
      if mailbox.ending == nil { mailbox.handlers = handlers }
      return mailbox.ending != nil
    }
    if isEnded { return forget(handlers) }
    begin()
  }

  private func forget(_ handlers: TransferMailbox.Handlers) {
    request.cancellation.removeHandler(handlers.cancellation)
    handlers.suspension.map { request.suspension?.removeHandler($0) }
  }

  var isEnded: Bool { mailbox.withLock { $0.ending != nil } }

  var summary: TransportSummary { mailbox.withLock { $0.summary } ?? TransportSummary() }

  /// Ends it as cancelled, at once for the consumer and soon for the network; does nothing when all was consumed.
  func giveUp() {
    // How it ended before is released after the lock: it may be an error of the caller's own body.
    let (isRunning, _) = change { mailbox in
      let before = mailbox.ending
      if case .success = before, mailbox.chunks.isEmpty { return (false, before) }
      if before == nil { keepSlot(&mailbox) }
      mailbox.ending = .failure(TransportError.cancelled)
      mailbox.isGivenUp = true
      mailbox.chunks = FIFOQueue()
      mailbox.buffered = 0
      return (before == nil, before)
    }
    if isRunning { stop() }
  }

  /// Ends it with an error of ours; the first ending counts.
  ///
  /// Chunks that came before stay readable.
  func end(with error: any Error) {
    let isRunning = change { mailbox in
      guard mailbox.ending == nil else { return false }
      keepSlot(&mailbox)
      mailbox.ending = .failure(error)
      return true
    }
    if isRunning { stop() }
  }

  /// Takes a slot for the connection that is to be closed, before the consumer can give its own back.
  private func keepSlot(_ mailbox: inout TransferMailbox) {
    if let slot = request.slot, slot.keep() { mailbox.closingSlot = slot }
  }

  /// Changes the mailbox, then wakes the consumer and forgets the signals when it has ended; all outside the lock.
  func change<Value: Sendable>(_ body: (inout TransferMailbox) -> Value) -> Value {
    let (value, waiter, handlers) = mailbox.withLock { mailbox in
      let value = body(&mailbox)
      let waiter = mailbox.waiter
      mailbox.waiter = nil
      let handlers = mailbox.ending == nil ? nil : mailbox.handlers
      if handlers != nil { mailbox.handlers = nil }
      return (value, waiter, handlers)
    }
    if let handlers { forget(handlers) }
    waiter?.resume()
    return value
  }

  // MARK: The network's side

  /// To be called after each `stop`, once the server can tell that the transfer has ended.
  func didStop() {
    let slot = mailbox.withLock { $0.closingSlot.take() }
    slot?.end()
  }

  /// Hands the news over with one wake-up of the consumer; after the end they are dropped.
  func deliver(_ news: TransferNews) {
    change { mailbox in
      guard mailbox.ending == nil else { return }
      if let head = news.head { mailbox.head = head }
      mailbox.chunks.append(contentsOf: news.chunks)
      mailbox.buffered += news.buffered
      guard let ending = news.ending else { return }
      mailbox.ending = ending
      mailbox.summary = news.summary
    }
  }

  /// Whether the network's side is to stop receiving; if so, `makeRoom` comes when the consumer has made room.
  func pauses(with pending: Int) -> Bool {
    mailbox.withLock { mailbox in
      guard mailbox.buffered + pending >= TransferMailbox.highWaterMark, mailbox.ending == nil else {
        return false
      }
      mailbox.isPaused = true
      return true
    }
  }

  // MARK: The consumer's side, one task at a time

  /// Waits for the head of the final response.
  func head() async throws -> HTTPResponse {
    while true {
      if let head = try mailbox.withLock({ try $0.takeHead() }) { return head }
      await wait { $0.head != nil }
    }
  }

  /// The whole body and what is known about the transfer, when it has ended well with the body in one piece.
  func takeWhole() -> (data: Data, summary: TransportSummary)? {
    mailbox.withLock { mailbox in
      guard case .success = mailbox.ending, mailbox.chunks.count <= 1 else { return nil }
      let data = mailbox.chunks.popFirst() ?? Data()
      mailbox.buffered = 0
      return (data, mailbox.summary ?? TransportSummary())
    }
  }

  /// Waits for the next chunk as it came from the network; `nil` at the end.
  func nextChunk() async throws -> Data? {
    while true {
      switch try mailbox.withLock({ try $0.pull() }) {
      case .chunk(let data, let makesRoom):
        if makesRoom { makeRoom() }
        return data
      case .end: return nil
      case .notYet: await wait { !$0.chunks.isEmpty }
      }
    }
  }

  /// Waits for a change, unless `isReady` or the end is there already.
  ///
  /// What the network's side has to say is in the mailbox: Thread Sanitizer does not see the order of a payload handed to
  /// `resume(returning:)` from another thread.
  private func wait(until isReady: (TransferMailbox) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isThere = mailbox.withLock { mailbox in
        if isReady(mailbox) || mailbox.ending != nil { return true }
        mailbox.waiter = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

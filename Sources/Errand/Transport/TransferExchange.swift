package import Foundation

/// The state shared by the network side of a transfer and its consumer.
package struct TransferMailbox {
  package var head: HTTPResponse?
  var chunks = FIFOQueue<Data>()
  var buffered = 0
  var ending: Result<Void, any Error>?
  var summary: TransportSummary?
  var isPaused = false
  var isAbandoned = false
  /// The code that takes the continuation out, under the lock, must resume the continuation.
  var waiter: UnsafeContinuation<Void, Never>?
  var handlers: Handlers?
  /// The extra slot of a transfer that ended early, held until the network side has stopped.
  var closingSlot: OriginSlots.Lease?

  struct Handlers {
    let cancellation: CancellationSignal.HandlerID
    let suspension: SuspensionSignal.HandlerID?
  }

  package init() {}

  /// The numbers of unread bytes at which receiving pauses (1 MiB) and resumes (256 KiB).
  static let highWaterMark = 1 << 20
  static let lowWaterMark = 1 << 18

  fileprivate enum Pull {
    case chunk(Data, makesRoom: Bool)
    case end
    case notYet
  }

  fileprivate func takeHead() throws -> HTTPResponse? {
    if let head, !isAbandoned { return head }
    guard let ending else { return nil }
    try ending.get()
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

/// A running transfer: the network side writes to a mailbox, and the consumer reads from the mailbox.
package protocol TransferExchange: AnyObject, Sendable {
  var request: TransportRequest { get }
  var mailbox: Locked<TransferMailbox> { get }

  /// Starts the network side. Called at most once.
  func begin()
  /// Stops the network side, which then calls `didStop`.
  ///
  /// May be called before `begin` and after the end of the transfer.
  func stop()
  func makeRoom()
  func followSuspension()
}

extension TransferExchange {
  package func start() {
    let handlers = TransferMailbox.Handlers(
      cancellation: request.cancellation.onCancel { [self] in abandon() },
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

  package var summary: TransportSummary { mailbox.withLock { $0.summary } ?? TransportSummary() }

  /// Cancels the transfer and drops unread chunks.
  ///
  /// Without effect if the transfer has succeeded and no chunk is unread.
  package func abandon() {
    // The previous ending is released outside the lock, because releasing an error may run the caller's code.
    let (isRunning, _) = change { mailbox in
      let before = mailbox.ending
      if case .success = before, mailbox.chunks.isEmpty { return (false, before) }
      if before == nil { keepSlot(&mailbox) }
      mailbox.ending = .failure(TransportError.cancelled)
      mailbox.isAbandoned = true
      mailbox.chunks = FIFOQueue()
      mailbox.buffered = 0
      return (before == nil, before)
    }
    if isRunning { stop() }
  }

  /// Fails a running transfer.
  ///
  /// Chunks that were delivered before stay readable.
  package func end(with error: any Error) {
    let isRunning = change { mailbox in
      guard mailbox.ending == nil else { return false }
      keepSlot(&mailbox)
      mailbox.ending = .failure(error)
      return true
    }
    if isRunning { stop() }
  }

  /// Takes another slot, if possible, because the consumer may release its own slot before the network side
  /// stops.
  private func keepSlot(_ mailbox: inout TransferMailbox) {
    if let slot = request.slot, slot.takeExtraSlot() { mailbox.closingSlot = slot }
  }

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

  // MARK: The network side

  package func didStop() {
    let slot = mailbox.withLock { $0.closingSlot.take() }
    slot?.end()
  }

  package func deliver(_ news: consuming TransferNews) {
    var news = news
    change { mailbox in
      guard mailbox.ending == nil else { return }
      if news.head != nil { mailbox.head = news.head.take() }
      if !news.chunks.isEmpty { mailbox.chunks.append(contentsOf: news.chunks) }
      mailbox.buffered += news.buffered
      guard news.ending != nil else { return }
      mailbox.ending = news.ending.take()
      mailbox.summary = news.summary.take()
    }
  }

  /// Returns true if receiving must pause.
  ///
  /// `pending` is the number of received bytes that are not yet in the mailbox.
  package func pauses(with pending: Int) -> Bool {
    mailbox.withLock { mailbox in
      guard mailbox.buffered + pending >= TransferMailbox.highWaterMark, mailbox.ending == nil else {
        return false
      }
      mailbox.isPaused = true
      return true
    }
  }

  // MARK: The consumer's side, a single task at a time

  package func head() async throws -> HTTPResponse {
    while true {
      if let head = try mailbox.withLock({ try $0.takeHead() }) { return head }
      await wait { $0.head != nil }
    }
  }

  package func takeWhole() -> (data: Data, summary: TransportSummary)? {
    mailbox.withLock { mailbox in
      guard case .success = mailbox.ending, mailbox.chunks.count <= 1 else { return nil }
      let data = mailbox.chunks.popFirst() ?? Data()
      mailbox.buffered = 0
      return (data, mailbox.summary.take() ?? TransportSummary())
    }
  }

  package func nextChunk() async throws -> Data? {
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

  /// Waits for a change of the mailbox, unless `isReady` is true or the transfer has ended.
  ///
  /// Resumes without a value, because Thread Sanitizer reports a false race for `resume(returning:)`.
  private func wait(until isReady: (TransferMailbox) -> Bool) async {
    await withUnsafeContinuation { continuation in
      let isThere = mailbox.withLock { mailbox in
        if isReady(mailbox) || mailbox.ending != nil { return true }
        mailbox.waiter = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

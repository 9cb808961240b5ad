import Dispatch
import Errand
import Foundation

final class HTMLLogRecorder: Sendable {
  private struct DispatchRecord {
    let number: Int
    let detail: HTMLLogger.Detail
    let begun: Duration
  }

  private struct State {
    var records: [ObjectIdentifier: DispatchRecord] = [:]
    var count = 0
    var queue: HTMLLogQueue
    /// True if a write is scheduled; otherwise, the next added event schedules a write.
    var isCalled = false
    var problem: String?
    var hasPrinted = false
  }

  let newest: URL
  private let limits: HTMLLogger.Limits
  private let clock: AgentClock
  /// Tests suspend the queue.
  let queue = DispatchQueue(label: "Errand log")
  private let state: Locked<State>
  // Guarded by `queue`.
  nonisolated(unsafe) private var writer: HTMLLogWriter

  init(folder: HTMLLogFolder, limits: HTMLLogger.Limits, clock: AgentClock) {
    newest = URL(fileURLWithPath: folder.newest)
    state = Locked(State(queue: HTMLLogQueue(limits: limits)))
    writer = HTMLLogWriter(folder: folder, limits: limits)
    (self.limits, self.clock) = (limits, clock)
  }

  var problem: String? { state.withLock { $0.problem } }

  var lost: Int { state.withLock { $0.queue.lost } }

  var load: (count: Int, size: Int) { state.withLock { ($0.queue.count, $0.queue.size) } }

  func begin(_ context: RequestContext, detail: HTMLLogger.Detail) {
    let (date, begun) = (clock.date, clock.now())
    let record = state.withLock { state in
      state.count += 1
      let record = DispatchRecord(number: state.count, detail: detail, begun: begun)
      state.records[context.dispatchIdentity] = record
      return record
    }
    if !put(.start(HTMLLogStart(number: record.number, in: context, at: date)), size: 0) { drop() }
  }

  func note(_ request: HTTPRequest, in context: RequestContext) {
    guard let record = record(of: context) else { return }
    let time = clock.now() - record.begun
    let sent = HTMLLogRequest(request, keeping: record.detail == .heads ? 0 : bodyLimit, at: time)
    add(.sent(sent), in: context, record: record)
  }

  func note(_ attempt: AttemptReport, in context: RequestContext) {
    guard let record = record(of: context) else { return }
    var attempt = attempt
    let limit = record.detail == .bodies ? bodyLimit : 0
    if let body = attempt.response?.body, body.count > limit {
      attempt.response?.body = Data(body.prefix(limit))
    }
    add(.attemptStopped(attempt), in: context, record: record)
  }

  func show(_ text: String, in context: RequestContext) {
    guard let record = record(of: context), record.detail == .deferredBody else { return }
    add(.shown(text), in: context, record: record)
  }

  func end(_ report: ExchangeReport, in context: RequestContext) {
    guard let record = record(of: context) else { return }
    add(.stopped(report), in: context, record: record)
  }

  func flush() async {
    await withCheckedContinuation { continuation in
      queue.async { self.write() }
      queue.async { continuation.resume() }
    }
  }

  private var bodyLimit: Int { max(limits.body, limits.image, 0) }

  private func record(of context: RequestContext) -> DispatchRecord? {
    let dispatch = context.dispatchIdentity
    return state.withLock { $0.records[dispatch] }
  }

  private func add(_ kind: HTMLLogEvent.Kind, in context: RequestContext, record: DispatchRecord) {
    let event = HTMLLogEvent(kind: kind, number: record.number, detail: record.detail, context: context)
    // The record is removed last, because the writer keeps the page of a dispatch that has a record.
    defer { if case .stopped = kind { end(of: context) } }
    if put(.event(event), size: event.keptSize) { return }
    if state.withLock({ $0.queue.isFull }) { return drop() }
    let text = HTMLLogBlock.text(of: event, limits)
    if !put(.text(text, number: event.number), size: text.count) { drop() }
  }

  private func end(of context: RequestContext) {
    state.withLock { $0.records[context.dispatchIdentity] = nil }
  }

  private func put(_ entry: HTMLLogEntry, size: Int) -> Bool {
    let (isTaken, isFirst) = state.withLock { state in
      guard state.queue.add(entry, size: size) else { return (false, false) }
      defer { state.isCalled = true }
      return (true, !state.isCalled)
    }
    if isFirst { queue.async { self.write() } }
    return isTaken
  }

  private func drop() { state.withLock { $0.queue.lose() } }

  private func write() {
    // The number of batches is read once, so that a flush ends although further events arrive.
    let count = state.withLock { state in
      state.isCalled = false
      return state.queue.batchCount
    }
    for _ in 0..<count { writeBatch() }
    // Events may be dropped after the last batch. An empty batch then reports the dropped events.
    if state.withLock({ $0.queue.unreported > 0 && $0.queue.batchCount == 0 }) { writeBatch() }
  }

  private func writeBatch() {
    let (batch, dropped, oldest) = state.withLock { state in
      let (batch, dropped) = (state.queue.next(), state.queue.takeUnreported())
      // Events that still wait may belong to a dispatch without a record. So the oldest dispatch is unknown.
      guard state.queue.batchCount == 0 else { return (batch, dropped, 0) }
      return (batch, dropped, state.records.values.map(\.number).min() ?? state.count + 1)
    }
    guard !batch.events.isEmpty || dropped > 0 else { return }
    let result = writer.write(batch.events, dropped: dropped, oldest: oldest)
    let isFirst = state.withLock { state in
      state.queue.end((batch.events.count, batch.size))
      state.queue.lose(result.lost, isReported: true)
      state.problem = result.problem
      guard result.problem != nil, !state.hasPrinted else { return false }
      state.hasPrinted = true
      return true
    }
    if isFirst, DebugLog.isOn, let problem = result.problem { DebugLog.write(problem) }
  }
}

struct HTMLLogEvent: Sendable {
  /// Indirect, because a report is large.
  indirect enum Kind: Sendable {
    case sent(HTMLLogRequest)
    case attemptStopped(AttemptReport)
    case shown(String)
    case stopped(ExchangeReport)
  }

  let kind: Kind
  let number: Int
  let detail: HTMLLogger.Detail
  let context: RequestContext

  /// The approximate number of body bytes retained by the event.
  var keptSize: Int {
    let own =
      switch kind {
      case .sent(let sent): sent.request.body.memorySize
      case .attemptStopped(let attempt):
        (attempt.response?.body.count ?? 0) + (attempt.failure?.response?.body.count ?? 0)
          + Self.providedSize(of: attempt.request)
      case .shown(let text): text.utf8.count
      case .stopped(let report):
        (report.outcome.error?.response?.body.count ?? 0) + Self.providedSize(of: report.request)
      }
    return own + context.keptSize
  }

  /// Returns the number of bytes in memory of a body such as a multipart body; 0 for plain data.
  private static func providedSize(of request: HTTPRequest?) -> Int {
    guard let body = request?.body, body.isProvided else { return 0 }
    return body.memorySize
  }
}

enum HTMLLogEntry: Sendable {
  case start(HTMLLogStart)
  case event(HTMLLogEvent)
  case text(Data, number: Int)

  var number: Int {
    switch self {
    case .start(let start): start.number
    case .event(let event): event.number
    case .text(_, let number): number
    }
  }
}

struct HTMLLogRequest: Sendable {
  private(set) var request: HTTPRequest
  /// The length of the body before truncation; `nil` without data.
  let length: Int?
  /// The time since the start of the dispatch.
  let time: Duration

  init(_ request: HTTPRequest, keeping limit: Int, at time: Duration = .zero) {
    (self.request, self.time) = (request, time)
    length = request.body.data?.count
    if let data = request.body.data, data.count > limit {
      self.request.body = .data(Data(data.prefix(limit)), contentType: request.body.contentType)
    }
  }

  var isCut: Bool { length.map { $0 > request.body.data?.count ?? 0 } ?? false }
}

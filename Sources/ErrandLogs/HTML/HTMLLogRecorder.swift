import Dispatch
import Errand
import Foundation

/// Takes the events of dispatches, and has them written on a queue of its own.
final class HTMLLogRecorder: Sendable {
  /// A dispatch in the list.
  private struct Ticket {
    let number: Int
    let detail: HTMLLogger.Detail
    /// When it began, by the clock.
    let begun: Duration
  }

  private struct State {
    /// The dispatches that are under way; a few events keep theirs alive as long as they wait.
    var tickets: [ObjectIdentifier: Ticket] = [:]
    /// How many dispatches began.
    var count = 0
    var queue: HTMLLogQueue
    /// Whether the queue is to look for more.
    var isCalled = false
    var problem: String?
    /// Whether a problem was told.
    var hasTold = false
  }

  /// Where the newest run is found.
  let newest: URL
  private let limits: HTMLLogger.Limits
  private let clock: AgentClock
  private let queue = DispatchQueue(label: "Errand log")
  private let state: Locked<State>
  // Guard: used on `queue` alone.
  nonisolated(unsafe) private var writer: HTMLLogWriter

  init(folder: HTMLLogFolder, limits: HTMLLogger.Limits, clock: AgentClock) {
    newest = URL(fileURLWithPath: folder.newest)
    state = Locked(State(queue: HTMLLogQueue(limits: limits)))
    writer = HTMLLogWriter(folder: folder, limits: limits)
    (self.limits, self.clock) = (limits, clock)
  }

  var problem: String? { state.withLock { $0.problem } }

  var lost: Int { state.withLock { $0.queue.lost } }

  /// How many events wait or are being written, and how many bytes of bodies they keep.
  var load: (count: Int, size: Int) { state.withLock { ($0.queue.count, $0.queue.size) } }

  func begin(_ context: RequestContext, detail: HTMLLogger.Detail) {
    let (date, begun) = (clock.date, clock.now())
    let ticket = state.withLock { state in
      state.count += 1
      let ticket = Ticket(number: state.count, detail: detail, begun: begun)
      state.tickets[context.dispatchIdentity] = ticket
      return ticket
    }
    if !put(.start(HTMLLogStart(number: ticket.number, in: context, at: date)), size: 0) { drop() }
  }

  func note(_ request: HTTPRequest, in context: RequestContext) {
    guard let ticket = ticket(of: context) else { return }
    let time = clock.now() - ticket.begun
    let sent = HTMLLogRequest(request, keeping: ticket.detail == .heads ? 0 : bodyLimit, at: time)
    add(.sent(sent), in: context, ticket: ticket)
  }

  func note(_ attempt: AttemptReport, in context: RequestContext) {
    guard let ticket = ticket(of: context) else { return }
    var attempt = attempt
    let limit = ticket.detail == .bodies ? bodyLimit : 0
    if let body = attempt.response?.body, body.count > limit {
      attempt.response?.body = Data(body.prefix(limit))
    }
    add(.attemptStopped(attempt), in: context, ticket: ticket)
  }

  func show(_ text: String, in context: RequestContext) {
    guard let ticket = ticket(of: context), ticket.detail == .deferredBody else { return }
    add(.shown(text), in: context, ticket: ticket)
  }

  func end(_ report: ExchangeReport, in context: RequestContext) {
    guard let ticket = ticket(of: context) else { return }
    add(.stopped(report), in: context, ticket: ticket)
  }

  func flush() async {
    await withCheckedContinuation { continuation in
      queue.async { self.write() }
      // Nothing of this call keeps the desk alive when it returns.
      queue.async { continuation.resume() }
    }
  }

  private var bodyLimit: Int { max(limits.body, limits.image, 0) }

  private func ticket(of context: RequestContext) -> Ticket? {
    let dispatch = context.dispatchIdentity
    return state.withLock { $0.tickets[dispatch] }
  }

  private func add(_ kind: HTMLLogEvent.Kind, in context: RequestContext, ticket: Ticket) {
    let event = HTMLLogEvent(kind: kind, number: ticket.number, detail: ticket.detail, context: context)
    // Not before: the page of a dispatch is known until its last event has come.
    defer { if case .stopped = kind { end(of: context) } }
    if put(.event(event), size: event.keptSize) { return }
    if state.withLock({ $0.queue.isFull }) { return drop() }
    // Made here, and not on the queue, so that nothing of the dispatch waits with it.
    let text = HTMLLogBlock.text(of: event, limits)
    if !put(.text(text, number: event.number), size: text.count) { drop() }
  }

  private func end(of context: RequestContext) {
    state.withLock { $0.tickets[context.dispatchIdentity] = nil }
  }

  /// Lets something wait; `false` where there is no room for it.
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

  /// Writes what waits; on the queue.
  private func write() {
    // What comes meanwhile is another call's, so that a flush comes to its end.
    let count = state.withLock { state in
      state.isCalled = false
      return state.queue.batchCount
    }
    for _ in 0..<count { writeBatch() }
    // What was dropped behind the last event is told too.
    if state.withLock({ $0.queue.untold > 0 && $0.queue.batchCount == 0 }) { writeBatch() }
  }

  private func writeBatch() {
    let (batch, dropped, oldest) = state.withLock { state in
      let oldest = state.tickets.values.map(\.number).min() ?? state.count + 1
      return (state.queue.next(), state.queue.takeUntold(), oldest)
    }
    guard !batch.events.isEmpty || dropped > 0 else { return }
    let result = writer.write(batch.events, dropped: dropped, oldest: oldest)
    let isFirst = state.withLock { state in
      state.queue.end((batch.events.count, batch.size))
      // A page that cannot be written cannot tell of them.
      state.queue.lose(result.lost, isTold: true)
      state.problem = result.problem
      guard result.problem != nil, !state.hasTold else { return false }
      state.hasTold = true
      return true
    }
    if isFirst, DebugLog.isOn, let problem = result.problem { DebugLog.say(problem) }
  }
}

/// Something that happened to a dispatch in the list.
struct HTMLLogEvent: Sendable {
  /// Behind a reference, as a report is large, and is handed from one to another.
  indirect enum Kind: Sendable {
    case sent(HTMLLogRequest)
    case attemptStopped(AttemptReport)
    case shown(String)
    case stopped(ExchangeReport)
  }

  let kind: Kind
  /// Of the dispatch in the log, from 1.
  let number: Int
  let detail: HTMLLogger.Detail
  let context: RequestContext

  /// The bytes of bodies that it keeps, with its dispatch.
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

  /// The bytes that the parts of a body keep; those of a body in one piece of memory are counted when the request is sent.
  private static func providedSize(of request: HTTPRequest?) -> Int {
    guard let body = request?.body, body.isProvided else { return 0 }
    return body.memorySize
  }
}

/// What waits to be written of an event.
enum HTMLLogEntry: Sendable {
  case start(HTMLLogStart)
  /// What its text is made of, and the dispatch with all that it has sent.
  case event(HTMLLogEvent)
  /// The text alone.
  case text(Data, number: Int)

  /// Of the dispatch in the log.
  var number: Int {
    switch self {
    case .start(let start): start.number
    case .event(let event): event.number
    case .text(_, let number): number
    }
  }
}

/// A request that was sent, its body cut.
struct HTMLLogRequest: Sendable {
  private(set) var request: HTTPRequest
  /// The bytes of a body in memory, before it was cut.
  let length: Int?
  /// When it went to the transport, from the start of the dispatch.
  let time: Duration

  /// Keeps so many bytes of a body in memory.
  init(_ request: HTTPRequest, keeping limit: Int, at time: Duration = .zero) {
    (self.request, self.time) = (request, time)
    length = request.body.data?.count
    if let data = request.body.data, data.count > limit {
      self.request.body = .data(Data(data.prefix(limit)), contentType: request.body.contentType)
    }
  }

  /// Whether some of the body is not here.
  var isCut: Bool { length.map { $0 > request.body.data?.count ?? 0 } ?? false }
}

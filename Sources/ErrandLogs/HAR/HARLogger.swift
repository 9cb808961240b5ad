import Dispatch
public import Errand
import ErrandHARFormat
public import Foundation

/// Writes dispatches into a HAR 1.2 file, which browsers and other tools open: an entry for each request that was sent, redirects
/// and retries included, with timings, bodies and failures; secrets are hidden by the agent's ``/Errand/Redaction``.
///
/// ```swift
/// let logger = HARLogger(URL(fileURLWithPath: "session.har"))
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
/// …
/// try await logger.flush()
/// ```
///
/// A dispatch is written when it has ended, in the order in which they end; ``/ErrandLogs/Errand/ExchangeReport/har(bodyLimit:)`` gives one alone. Entries are
/// made and written on a queue of its own, so that no request waits for the file. Where it falls behind by more than the capacity, what comes
/// then is left out, counted by ``droppedCount``, and the file says so.
///
/// A new file, which its owner alone may read, takes the place of what was there when the first dispatch has ended; a link is refused. It is
/// whole and valid after each write, so also when the disk is full, and when the process ends without a word: then it lacks what waited. One that
/// is killed in the midst of a write leaves half of it; all lines before the last are whole then, an entry each.
/// ``flush()`` waits until nothing does. Where the file is deleted or moved away meanwhile, another one is begun; where something else has taken
/// its place, that stays, and ``flush()`` says so.
///
/// Several agents may share one. Two loggers may not share a file: the second, also one of another process, writes nothing, and ``problem``
/// says so.
///
/// Bodies are written as text in their own charset, and pictures in Base64. Of other bytes, and of pictures with a secret in them, there is the
/// length: a `RecordingTransport` of `ErrandMocks` keeps what it is to replay.
public final class HARLogger: Accessory {
  private let bodyLimit: Int
  /// The attempts of dispatches that have not ended.
  private let running = Locked<[ObjectIdentifier: [HARAttempt]]>([:])
  private let writer: HARWriter

  /// Makes a logger; the file is not touched before the first dispatch has ended.
  ///
  /// - Parameters:
  ///   - file: the file, whose folder is made; what is there is replaced.
  ///   - bodyLimit: bodies with more bytes are counted, not written; 65,536 by default.
  ///   - capacity: how many dispatches may wait to be written, those that are being written included; 256 by default, at least 1. Each
  ///     keeps the bodies of its attempts up to the limit, and the request as it was given to the agent.
  public init(_ file: URL, bodyLimit: Int = 65_536, capacity: Int = 256) {
    self.bodyLimit = max(0, bodyLimit)
    writer = HARWriter(HAROutput(file), capacity: max(1, capacity))
  }

  /// How many dispatches were left out, as too many waited to be written, or as the file could not be written.
  public var droppedCount: Int { writer.droppedCount }

  /// Why the last dispatches could not be written, as a sentence; `nil` when they were.
  ///
  /// A debug build says the first one on standard error too.
  public var problem: String? { writer.problem }

  /// Waits until every dispatch that has ended is in the file.
  ///
  /// - Throws: ``/Errand/TransportError`` of kind ``/Errand/RequestError/Kind/file`` where the file could not be written since the last call.
  public func flush() async throws { try await writer.flush() }

  /// Keeps what came back.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    var report = attempt
    if let body = report.response?.body, body.count > bodyLimit { report.response?.body = Data() }
    running.withLock {
      $0[context.dispatchIdentity, default: []].append(HARAttempt(report: report))
    }
  }

  /// Hands it over to be written.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    let attempts = running.withLock { $0.removeValue(forKey: context.dispatchIdentity) }
    guard let attempts else { return }
    writer.add { [bodyLimit] in
      let redaction = context.redaction
      return attempts.flatMap { $0.entries(of: report, bodyLimit: bodyLimit, redaction) }
    }
  }
}

/// Writes what it is given, one after another, on a queue of its own: a task that waits for a disk would hold a thread that others need.
final class HARWriter: Sendable {
  /// Makes the entries of a dispatch, which takes longer than to keep what they are made of.
  typealias Entries = @Sendable () -> [HAREntry]

  private struct State {
    var queue: LogQueue<Entries>
    var isWriting = false
    var failure: TransportError?
    var problem: String?
    /// Whether a problem was told.
    var hasTold = false
    /// Who waits until nothing does.
    var flushes: [CheckedContinuation<Void, Never>] = []
  }

  /// The guard of everything but the output.
  private let state: Locked<State>
  private let queue = DispatchQueue(label: "Errand HAR")
  // Guard: used on `queue` alone.
  nonisolated(unsafe) private var output: HAROutput

  /// - Parameter capacity: the number of dispatches that may wait or be written at a time.
  init(_ output: HAROutput, capacity: Int) {
    self.output = output
    // So many are written at once, as one piece.
    state = Locked(State(queue: LogQueue(within: .init(count: capacity, size: 0), batchLimit: 32)))
  }

  var droppedCount: Int { state.withLock { $0.queue.lost } }

  var problem: String? { state.withLock { $0.problem } }

  func add(_ entries: @escaping Entries) {
    let begins = state.withLock { state in
      guard state.queue.add(entries, within: state.queue.bounds) else {
        state.queue.lose()
        return false
      }
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { queue.async { self.write() } }
  }

  func flush() async throws {
    await withCheckedContinuation { flush in
      let isIdle = state.withLock { state in
        if state.isWriting { state.flushes.append(flush) }
        return !state.isWriting
      }
      if isIdle { flush.resume() }
    }
    let failure = state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
    if let failure { throw failure }
  }

  private func write() {
    while let (batch, dropped) = next() {
      do {
        // Made here, where nobody waits for them.
        let entries = batch.flatMap { $0() }
        try output.append(entries, dropped: dropped)
        state.withLock { state in
          state.queue.end((batch.count, 0))
          state.problem = nil
        }
      } catch {
        lose(batch.count, because: error)
      }
    }
  }

  private func lose(_ count: Int, because failure: TransportError?) {
    let problem = failure.map { "\($0.message.prefix(1).uppercased())\($0.message.dropFirst())." }
    let isFirst = state.withLock { state in
      state.queue.end((count, 0))
      state.queue.lose(count)
      (state.failure, state.problem) = (failure, problem)
      defer { state.hasTold = true }
      return !state.hasTold
    }
    if isFirst, DebugLog.isOn, let problem { DebugLog.say(problem) }
  }

  /// What is to be written now; `nil` when nothing is, and those who wait for that are told.
  private func next() -> (batch: [Entries], dropped: Int)? {
    let (batch, dropped, flushes) = state.withLock { state in
      let batch = state.queue.next().events
      // What was left out behind the last one is told too.
      if !batch.isEmpty || state.queue.untold > 0 {
        _ = state.queue.takeUntold()
        return (batch, Int?(state.queue.lost), [CheckedContinuation<Void, Never>]())
      }
      state.isWriting = false
      defer { state.flushes = [] }
      return ([], nil, state.flushes)
    }
    for flush in flushes { flush.resume() }
    return dropped.map { (batch, $0) }
  }
}

import Dispatch
public import Errand
import ErrandHARFormat
public import Foundation

/// Writes dispatches to a HAR 1.2 file for browsers and other tools.
///
/// Each request of an attempt is an entry, including redirects and retries. Secrets are hidden by the agent's
/// ``/Errand/Redaction``.
///
/// ```swift
/// let logger = HARLogger(URL(fileURLWithPath: "session.har"))
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
/// ```
///
/// The logger writes dispatches that have ended. If more dispatches wait than `capacity` allows, dispatches
/// are dropped; see ``droppedCount``. Call ``flush()`` before the process exits.
///
/// Only the owner may read the file. Several agents may share a logger, but two loggers must not share a
/// file. Of a binary body other than a picture, usually only the length is recorded.
public final class HARLogger: Accessory {
  private let bodyLimit: Int
  private let running = Locked<[ObjectIdentifier: [HARAttempt]]>([:])
  private let writer: HARWriter

  /// Creates a logger.
  ///
  /// The first write replaces an existing file; a symbolic link makes the write fail.
  ///
  /// - Parameters:
  ///   - file: the HAR file.
  ///   - bodyLimit: the maximum number of bytes of a recorded body.
  ///   - capacity: the maximum number of dispatches that wait or are being written.
  public init(_ file: URL, bodyLimit: Int = 65_536, capacity: Int = 256) {
    self.bodyLimit = max(0, bodyLimit)
    writer = HARWriter(HAROutput(file), capacity: max(1, capacity))
  }

  /// The number of dispatches that were dropped or lost by a failed write.
  public var droppedCount: Int { writer.droppedCount }

  /// The reason why the last write failed; otherwise `nil`.
  public var problem: String? { writer.problem }

  /// Waits until all ended dispatches are written or lost.
  ///
  /// Throws an error of kind ``/Errand/RequestError/Kind/file`` if a write has failed since the last call.
  public func flush() async throws { try await writer.flush() }

  /// Stores the report of the attempt.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    var report = attempt
    if let body = report.response?.body, body.count > bodyLimit { report.response?.body = Data() }
    running.withLock {
      $0[context.dispatchIdentity, default: []].append(HARAttempt(report: report))
    }
  }

  /// Passes the attempts of a dispatch to the writer.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    let attempts = running.withLock { $0.removeValue(forKey: context.dispatchIdentity) }
    guard let attempts else { return }
    writer.add { [bodyLimit] in
      let redaction = context.redaction
      return attempts.flatMap { $0.entries(of: report, bodyLimit: bodyLimit, redaction) }
    }
  }
}

/// Writes entries on its own queue, because a slow disk would block a thread of the cooperative pool.
final class HARWriter: Sendable {
  typealias Entries = @Sendable () -> [HAREntry]

  private struct State {
    var queue: LogQueue<Entries>
    var isWriting = false
    var failure: TransportError?
    var problem: String?
    var hasPrinted = false
    var flushes: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>
  private let queue = DispatchQueue(label: "Errand HAR")
  // Guarded by `queue`.
  nonisolated(unsafe) private var output: HAROutput

  init(_ output: HAROutput, capacity: Int) {
    self.output = output
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
      defer { state.hasPrinted = true }
      return !state.hasPrinted
    }
    if isFirst, DebugLog.isOn, let problem { DebugLog.write(problem) }
  }

  /// Returns the next batch, or `nil` at the end of the queue.
  ///
  /// At the end, the callers of `flush` resume.
  private func next() -> (batch: [Entries], dropped: Int)? {
    let (batch, dropped, flushes) = state.withLock { state in
      let batch = state.queue.next().events
      // Dispatches may be dropped after the last batch. An empty batch then reports the dropped dispatches.
      if !batch.isEmpty || state.queue.unreported > 0 {
        _ = state.queue.takeUnreported()
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

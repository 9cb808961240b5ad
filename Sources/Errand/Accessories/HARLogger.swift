import Dispatch
public import Foundation

/// Writes dispatches into a HAR 1.2 file, which browsers and other tools open: an entry for each request that was sent, redirects
/// and retries included, with timings, bodies and failures; secrets are hidden by the agent's ``Redaction``.
///
/// ```swift
/// let logger = HARLogger(URL(fileURLWithPath: "session.har"))
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
/// …
/// try await logger.flush()
/// ```
///
/// A dispatch is written when it has ended, in the order in which they end; ``ExchangeReport/har(bodyLimit:)`` gives one alone. Entries are
/// made and written on a queue of its own, so that no request waits for the file. Where it falls behind by more than the capacity, what comes
/// then is left out, counted by ``droppedCount``, and the file says so.
///
/// The file is made anew with the first dispatch, its owner alone may read it, and it is whole and valid after each write, so also when the
/// process ends without a word: then it lacks what waited. One that is killed in the midst of a write leaves half of it; all lines before the last
/// are whole then, an entry each. ``flush()`` waits until nothing does.
///
/// Several agents may share one. Two loggers may not share a file: the second, also one of another process, writes nothing, and ``problem``
/// says so.
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
  /// - Throws: ``TransportError`` of kind ``RequestError/Kind/file`` where the file could not be written since the last call.
  public func flush() async throws { try await writer.flush() }

  /// Keeps what came back.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    var report = attempt
    if let body = report.response?.body, body.count > bodyLimit { report.response?.body = Data() }
    running.withLock {
      $0[ObjectIdentifier(context.dispatched), default: []].append(HARAttempt(report: report))
    }
  }

  /// Hands it over to be written.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    let attempts = running.withLock { $0.removeValue(forKey: ObjectIdentifier(context.dispatched)) }
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
    var waiting: [Entries] = []
    /// How many are being written.
    var written = 0
    var isWriting = false
    var dropped = 0
    /// How many of them the file was to tell of.
    var told = 0
    var failure: TransportError?
    var problem: String?
    /// Whether a problem was told.
    var hasTold = false
    /// Who waits until nothing does.
    var flushes: [CheckedContinuation<Void, Never>] = []
  }

  /// The guard of everything but the output.
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "Errand HAR")
  // Guard: used on `queue` alone.
  nonisolated(unsafe) private var output: HAROutput
  private let capacity: Int
  /// So many are written at once, as one piece.
  private static let batchCount = 32

  init(_ output: HAROutput, capacity: Int) {
    self.output = output
    self.capacity = capacity
  }

  var droppedCount: Int { state.withLock { $0.dropped } }

  var problem: String? { state.withLock { $0.problem } }

  func add(_ entries: @escaping Entries) {
    let begins = state.withLock { state in
      guard state.waiting.count + state.written < capacity else {
        state.dropped += 1
        return false
      }
      state.waiting.append(entries)
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
        state.withLock { $0.problem = nil }
      } catch {
        lose(batch.count, error)
      }
    }
  }

  private func lose(_ count: Int, _ failure: TransportError?) {
    let problem = failure.map { "\($0.message.prefix(1).uppercased())\($0.message.dropFirst())." }
    let isFirst = state.withLock { state in
      state.dropped += count
      (state.failure, state.problem) = (failure, problem)
      defer { state.hasTold = true }
      return !state.hasTold
    }
    if isFirst, DebugLog.isOn, let problem { DebugLog.say(problem) }
  }

  /// What is to be written now; `nil` when nothing is, and those who wait for that are told.
  private func next() -> (batch: [Entries], dropped: Int)? {
    let (batch, dropped, flushes) = state.withLock { state in
      let batch = Array(state.waiting.prefix(Self.batchCount))
      state.waiting.removeFirst(batch.count)
      state.written = batch.count
      // What was left out behind the last one is told too.
      if !batch.isEmpty || state.told < state.dropped {
        state.told = state.dropped
        return (batch, Int?(state.dropped), [CheckedContinuation<Void, Never>]())
      }
      state.isWriting = false
      defer { state.flushes = [] }
      return ([], nil, state.flushes)
    }
    for flush in flushes { flush.resume() }
    return dropped.map { (batch, $0) }
  }
}

/// A HAR file that grows: its end is written anew with each addition, in one piece, so that it is whole in between.
struct HAROutput: Sendable {
  private let file: URL
  private var handle: FileHandle?
  /// Where the next entry goes: behind the last one.
  private var end: UInt64 = 0
  private var isEmpty = true

  init(_ file: URL) { self.file = file }

  private static let beginning = """
    {"log":{"version":"1.2","creator":{"name":"Errand","version":"\(Platform.errandVersion)"},"entries":[
    """

  private static func ending(_ dropped: Int) -> String {
    dropped == 0 ? "\n]}}\n" : "\n],\"comment\":\"Dispatches left out: \(dropped).\"}}\n"
  }

  /// Adds entries, a line each.
  ///
  /// - Parameter dropped: how many dispatches are not in the file.
  mutating func append(_ entries: [HAREntry], dropped: Int) throws(TransportError) {
    do {
      var coding = JSONCoding()
      coding.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var text = handle == nil ? Data(Self.beginning.utf8) : Data()
      let start = end
      for (index, entry) in entries.enumerated() {
        text += Data((isEmpty && index == 0 ? "\n" : ",\n").utf8)
        text += try coding.encode(entry)
      }
      let handle = try self.handle ?? open()
      self.handle = handle
      try handle.seek(toOffset: start)
      try handle.write(contentsOf: text + Data(Self.ending(dropped).utf8))
      end = start + UInt64(text.count)
      isEmpty = isEmpty && entries.isEmpty
    } catch {
      // What is there of it is cut off, so that the file stays whole.
      if end == 0 { handle = nil }
      try? handle?.truncate(atOffset: end)
      try? handle?.write(contentsOf: Data(Self.ending(dropped).utf8))
      let reason = (error as? RegularFile.Problem)?.clause ?? error.localizedDescription
      throw TransportError(.file, "the HAR file \(file.path) cannot be written: \(reason)")
    }
  }

  private func open() throws -> FileHandle {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let descriptor = Foundation.open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw RegularFile.Problem(String(cString: strerror(errno))) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // It ends with the descriptor. Where a file system knows no locks, nobody is kept out.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw RegularFile.Problem("another HARLogger writes it")
    }
    // Not before: it may be another's. What is no file of a disk has no length.
    guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else {
      throw RegularFile.Problem(String(cString: strerror(errno)))
    }
    return handle
  }
}

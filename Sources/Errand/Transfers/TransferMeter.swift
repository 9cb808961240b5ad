/// Counts the bodies of a dispatch, attempt by attempt and hop by hop.
///
/// Its state is guarded by one `Locked`; whoever watches is told after it is released.
final class TransferMeter: Sendable {
  private struct State {
    var progress = TransferProgress()
    /// Which sending counts: what an earlier one tells late does not.
    var hop = 0
    /// Whether the answer of this hop is the one that is read.
    var isAccepted = false
    /// What the transport has told of its answer; `nil` where it does not count.
    var told: (bytes: Int64, total: Int64?)?
    /// What was there before the answer's first byte.
    var offset: Int64 = 0
    var pace = Pace()
    /// Told of each change besides the loops that run over ``updates``.
    var watcher: (@Sendable (TransferProgress) -> Void)?
    /// What the head said of the length, while no byte of the body has come behind a body that was sent.
    var totalBeforeBody: Int64?

    /// Goes over to the phase of the response.
    mutating func beginReceiving(total: Int64?, at now: Duration) {
      guard progress.phase != .receiving else { return }
      progress.sent = progress.phase == .sending ? progress.completed : 0
      (progress.phase, progress.completed, progress.total) = (.receiving, 0, total)
      pace = Pace(from: 0, at: now)
    }
  }

  /// Told after each change; ends with the dispatch.
  let changes = ProgressSignal()
  /// The progress as it changes in more than its pace, until the dispatch ends.
  var updates: Updates<TransferProgress> {
    Updates(read: { self.progress }, isSame: { $0.isAtPlace(of: $1) }, changes: changes)
  }
  private let clock: AgentClock
  private let state = Locked(State())

  init(_ clock: AgentClock) { self.clock = clock }

  /// How far it is, at the pace of now.
  var progress: TransferProgress {
    let now = clock.now()
    return state.withLock { state in
      var progress = state.progress
      progress.throughput = state.pace.throughput(progress.completed, at: now)
      return progress
    }
  }

  /// Begins an attempt.
  func begin(attempt: Int, watcher: (@Sendable (TransferProgress) -> Void)? = nil) {
    // What watched the attempt before is released after the lock.
    _ = change { state in
      let before = state.watcher
      state.progress = TransferProgress(attempt: attempt)
      state.hop += 1
      (state.isAccepted, state.told, state.offset, state.totalBeforeBody) = (false, nil, 0, nil)
      state.watcher = watcher
      return before
    }
  }

  /// Begins a sending, the first of an attempt or after a redirect, and gives what its transport counts with.
  @inline(never)
  func begin(_ body: RequestBody) -> TransportRequest.Counter {
    let now = clock.now()
    return change { state in
      state.hop += 1
      (state.isAccepted, state.told, state.offset, state.totalBeforeBody) = (false, nil, 0, nil)
      if !body.isEmpty {
        if state.progress.phase == .waiting { state.pace = Pace(from: 0, at: now) }
        state.progress.phase = .sending
        state.progress.total = body.length
      }
      return TransportRequest.Counter(meter: self, hop: state.hop)
    }
  }

  /// The answer of this hop is read: its bytes count from now on, also those that have come.
  ///
  /// - Parameters:
  ///   - total: the bytes of its body, as far as its head tells; what the transport says counts more.
  ///   - there: the bytes that an earlier download has left, behind which the body goes on.
  func accept(total: Int64?, there: Int64 = 0) {
    let now = clock.now()
    change { state in
      guard !state.isAccepted else { return }
      state.isAccepted = true
      let (bytes, total) = (state.told?.bytes ?? 0, state.told?.total ?? total)
      // A response without a body leaves the progress of a body that was sent where it ended: there is no bar for nothing.
      if state.progress.phase == .sending, bytes == 0, total ?? 0 == 0, there == 0 {
        return state.totalBeforeBody = total
      }
      state.offset = there
      state.beginReceiving(total: total.map { TransferProgress.sum($0, there) }, at: now)
      state.progress.completed = TransferProgress.sum(bytes, there)
      state.pace = Pace(from: state.progress.completed, at: now)
    }
  }

  /// The same, of a head.
  func accept(_ head: HTTPResponse, to method: HTTPMethod?, there: Int64 = 0) {
    let isEmpty = method == .head || head.status == 204 || head.status == 304
    // Of a coded body it is the length before decoding, which only the transport can count.
    let length = head.headers.contains("Content-Encoding") ? nil : head.headers["Content-Length"]
    accept(
      total: isEmpty ? 0 : length.flatMap { UInt64($0) }.flatMap { Int64(exactly: $0) }, there: there)
  }

  /// Counts bytes that were read, where the transport does not count.
  func noteRead(_ count: Int) {
    let now = clock.now()
    change { state in
      guard state.isAccepted, state.told == nil, count > 0 else { return }
      state.beginReceiving(total: state.totalBeforeBody, at: now)
      state.progress.completed = TransferProgress.sum(state.progress.completed, Int64(count))
      state.pace.note(state.progress.completed, at: now)
    }
  }

  /// The answer has been read to its end.
  func complete() {
    change { state in
      if state.isAccepted, state.progress.phase == .receiving {
        state.progress.total = state.progress.completed
      }
    }
  }

  /// Lets go of what watches the attempt.
  func forgetWatcher() {
    // Released after the lock.
    _ = state.withLock { $0.watcher.take() }
  }

  /// Tells how much of a response has come, until the dispatch ends.
  func tell(_ progress: (@Sendable (TransferProgress) -> Void)?) -> Task<Void, Never>? {
    guard let progress else { return nil }
    return Task {
      for await found in updates where found.phase == .receiving {
        progress(found)
      }
    }
  }

  /// The dispatch has ended.
  func end() { changes.end() }

  fileprivate func noteSent(_ bytes: Int64, of total: Int64?, hop: Int) {
    let now = clock.now()
    change { state in
      guard state.hop == hop, !state.isAccepted, state.progress.phase != .receiving else { return }
      if state.progress.phase == .waiting { state.pace = Pace(from: 0, at: now) }
      state.progress.phase = .sending
      // The body may be sent again, after a redirect or over another connection.
      state.progress.completed = max(state.progress.completed, bytes)
      state.progress.total = total ?? state.progress.total
      state.pace.note(state.progress.completed, at: now)
    }
  }

  fileprivate func noteReceived(_ bytes: Int64, of total: Int64?, hop: Int) {
    let now = clock.now()
    change { state in
      guard state.hop == hop else { return }
      state.told = (max(bytes, state.told?.bytes ?? 0), (total ?? state.told?.total).map { max($0, 0) })
      guard state.isAccepted, let told = state.told else { return }
      if state.progress.phase == .sending {
        guard told.bytes > 0 || told.total ?? 0 > 0 else { return }
        state.beginReceiving(total: told.total, at: now)
      }
      state.progress.completed = max(state.progress.completed, TransferProgress.sum(state.offset, told.bytes))
      state.progress.total = told.total.map { TransferProgress.sum(state.offset, $0) } ?? state.progress.total
      state.pace.note(state.progress.completed, at: now)
    }
  }

  /// Changes the state, and tells those who watch if that can be seen.
  @discardableResult
  private func change<Value>(_ body: (inout State) -> Value) -> Value {
    let (value, progress, watcher) = state.withLock { state in
      let before = state.progress
      let value = body(&state)
      let isSeen = !state.progress.isAtPlace(of: before)
      return (value, isSeen ? state.progress : nil, isSeen ? state.watcher : nil)
    }
    guard let progress else { return value }
    changes.send()
    watcher?(progress)
    return value
  }
}

/// Where a count was a while ago, to tell how fast it grows.
struct Pace {
  /// After so long the older place is left for the newer one.
  private static let span = Duration.seconds(2)

  private var older: (bytes: Int64, time: Duration) = (0, .zero)
  private var newer: (bytes: Int64, time: Duration) = (0, .zero)
  private(set) var isKnown = false

  init() {}

  init(from bytes: Int64, at time: Duration) {
    (older, newer, isKnown) = ((bytes, time), (bytes, time), true)
  }

  mutating func note(_ bytes: Int64, at time: Duration) {
    guard time - newer.time >= Self.span else { return }
    (older, newer) = (newer, (bytes, time))
  }

  /// Bytes a second; `nil` before a time that can be measured has passed.
  func throughput(_ bytes: Int64, at time: Duration) -> Double? {
    let elapsed = time - older.time
    guard isKnown, elapsed >= .milliseconds(10) else { return nil }
    return Double(bytes - older.bytes) / (elapsed / .seconds(1))
  }
}

extension TransportRequest {
  /// Where a transport tells how many bytes of bodies have gone over the wire; see ``TransportRequest/counter``.
  ///
  /// It may be told from any thread. What is told of a transfer that is no longer the dispatch's does not count.
  public struct Counter: Sendable {
    fileprivate let meter: TransferMeter
    fileprivate let hop: Int

    /// Tells what was sent of the request's body since the beginning.
    ///
    /// - Parameters:
    ///   - bytes: all of them so far, as they are on the wire.
    ///   - total: how many there will be; `nil` where that is not known.
    public func sent(_ bytes: Int64, of total: Int64?) { meter.noteSent(bytes, of: total, hop: hop) }

    /// Tells what was received of the response's body since the beginning.
    ///
    /// A transport that tells it once, also of 0 bytes, counts the whole body; of one that does not the bytes are counted as they are read,
    /// after decoding.
    ///
    /// - Parameters:
    ///   - bytes: all of them so far, as they are on the wire.
    ///   - total: how many there will be; `nil` where that is not known.
    public func received(_ bytes: Int64, of total: Int64?) { meter.noteReceived(bytes, of: total, hop: hop) }
  }
}

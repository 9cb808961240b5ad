/// The byte counter of a dispatch.
///
/// A hop is a single HTTP request with its response. Watchers are called outside the lock.
final class TransferMeter: Sendable {
  private struct State {
    var progress = TransferProgress()
    var hop = 0
    var isAccepted = false
    /// The transport's counts of the response body; `nil` before the first report of the hop.
    var reported: (bytes: Int64, total: Int64?)?
    var offset: Int64 = 0
    var pace = Pace()
    var watcher: (@Sendable (TransferProgress) -> Void)?
    /// 0 if the response to an upload states an empty body; otherwise `nil`.
    var totalBeforeBody: Int64?

    mutating func beginReceiving(total: Int64?, at now: Duration) {
      guard progress.phase != .receiving else { return }
      progress.sent = progress.phase == .sending ? progress.completed : 0
      (progress.phase, progress.completed, progress.total) = (.receiving, 0, total)
      pace = Pace(from: 0, at: now)
    }
  }

  let changes = ProgressSignal()
  var changingProgress: ChangingValue<TransferProgress> {
    ChangingValue(read: { self.progress }, isSame: { $0.hasSameCounts(as: $1) }, changes: changes)
  }
  private let clock: AgentClock
  private let state = Locked(State())

  init(_ clock: AgentClock) { self.clock = clock }

  var progress: TransferProgress {
    let now = clock.now()
    return state.withLock { state in
      var progress = state.progress
      progress.throughput = state.pace.throughput(progress.completed, at: now)
      return progress
    }
  }

  func begin(attempt: Int, watcher: (@Sendable (TransferProgress) -> Void)? = nil) {
    // The earlier watcher is released outside the lock.
    _ = change { state in
      let before = state.watcher
      (state.progress, state.pace) = (TransferProgress(attempt: attempt), Pace())
      state.hop += 1
      (state.isAccepted, state.reported, state.offset, state.totalBeforeBody) = (false, nil, 0, nil)
      state.watcher = watcher
      return before
    }
  }

  @inline(never)
  func begin(_ body: RequestBody) -> TransportRequest.Counter {
    let now = clock.now()
    return change { state in
      state.hop += 1
      (state.isAccepted, state.reported, state.offset, state.totalBeforeBody) = (false, nil, 0, nil)
      if !body.isEmpty {
        if state.progress.phase == .waiting { state.pace = Pace(from: 0, at: now) }
        state.progress.phase = .sending
        state.progress.total = body.length
      }
      return TransportRequest.Counter(meter: self, hop: state.hop)
    }
  }

  /// Begins to count the response body.
  ///
  /// The bytes that a resumed download has kept, and earlier reports of the transport, count too.
  func accept(total: Int64?, keptBytes: Int64 = 0) {
    let now = clock.now()
    change { state in
      guard !state.isAccepted else { return }
      state.isAccepted = true
      let (bytes, total) = (state.reported?.bytes ?? 0, state.reported?.total ?? total)
      // Until a response body is expected, the progress shows the sent bytes, so that a progress bar does not
      // drop to zero.
      if state.progress.phase == .sending, bytes == 0, total ?? 0 == 0, keptBytes == 0 {
        return state.totalBeforeBody = total
      }
      state.offset = keptBytes
      state.beginReceiving(total: total.map { TransferProgress.sum($0, keptBytes) }, at: now)
      state.progress.completed = TransferProgress.sum(bytes, keptBytes)
      state.pace = Pace(from: state.progress.completed, at: now)
    }
  }

  func accept(_ head: HTTPResponse, to method: HTTPMethod?, keptBytes: Int64 = 0) {
    let isEmpty = method == .head || head.status == 204 || head.status == 304
    // The `Content-Length` of an encoded body counts bytes before decoding, so the total is unknown.
    let length = head.headers.contains("Content-Encoding") ? nil : head.headers["Content-Length"]
    accept(total: isEmpty ? 0 : length.flatMap { ContentRange.number($0) }, keptBytes: keptBytes)
  }

  /// Counts read bytes of the accepted body, until the transport reports a count.
  func noteRead(_ count: Int) {
    let now = clock.now()
    change { state in
      guard state.isAccepted, state.reported == nil, count > 0 else { return }
      state.beginReceiving(total: state.totalBeforeBody, at: now)
      state.progress.completed = TransferProgress.sum(state.progress.completed, Int64(count))
      state.pace.note(state.progress.completed, at: now)
    }
  }

  func complete() {
    change { state in
      if state.isAccepted, state.progress.phase == .receiving {
        state.progress.total = state.progress.completed
      }
    }
  }

  func forgetWatcher() {
    _ = state.withLock { $0.watcher.take() }
  }

  /// Calls `progress` while the response is received.
  ///
  /// Several quick changes may cause a single call.
  func observeResponse(_ progress: (@Sendable (TransferProgress) -> Void)?) -> Task<Void, Never>? {
    guard let progress else { return nil }
    return Task {
      for await found in changingProgress.updates where found.phase == .receiving {
        progress(found)
      }
    }
  }

  func end() { changes.end() }

  fileprivate func noteSent(_ bytes: Int64, of total: Int64?, hop: Int) {
    let now = clock.now()
    change { state in
      guard state.hop == hop, !state.isAccepted, state.progress.phase != .receiving else { return }
      if state.progress.phase == .waiting { state.pace = Pace(from: 0, at: now) }
      state.progress.phase = .sending
      // A redirect or a new connection may send the body again. The progress must not go back then.
      state.progress.completed = max(state.progress.completed, bytes)
      state.progress.total = total ?? state.progress.total
      state.pace.note(state.progress.completed, at: now)
    }
  }

  fileprivate func noteReceived(_ bytes: Int64, of total: Int64?, hop: Int) {
    let now = clock.now()
    change { state in
      guard state.hop == hop else { return }
      state.reported = (
        max(bytes, state.reported?.bytes ?? 0), (total ?? state.reported?.total).map { max($0, 0) }
      )
      guard state.isAccepted, let reported = state.reported else { return }
      if state.progress.phase == .sending {
        guard reported.bytes > 0 || reported.total ?? 0 > 0 else { return }
        state.beginReceiving(total: reported.total, at: now)
      }
      state.progress.completed = max(
        state.progress.completed, TransferProgress.sum(state.offset, reported.bytes))
      state.progress.total =
        reported.total.map { TransferProgress.sum(state.offset, $0) } ?? state.progress.total
      state.pace.note(state.progress.completed, at: now)
    }
  }

  @discardableResult
  private func change<Value>(_ body: (inout State) -> Value) -> Value {
    let (value, progress, watcher) = state.withLock { state in
      let before = state.progress
      let value = body(&state)
      let isSeen = !state.progress.hasSameCounts(as: before)
      return (value, isSeen ? state.progress : nil, isSeen ? state.watcher : nil)
    }
    guard let progress else { return value }
    changes.send()
    watcher?(progress)
    return value
  }
}

/// Two earlier byte counts with their times, for the current throughput.
struct Pace {
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

  /// Returns bytes per second; `nil` until 10 milliseconds after the first count.
  func throughput(_ bytes: Int64, at time: Duration) -> Double? {
    let elapsed = time - older.time
    guard isKnown, elapsed >= .milliseconds(10) else { return nil }
    return Double(bytes - older.bytes) / (elapsed / .seconds(1))
  }
}

extension TransportRequest {
  /// The counter of transferred body bytes; see ``TransportRequest/counter``.
  ///
  /// The methods may be called from any thread.
  public struct Counter: Sendable {
    fileprivate let meter: TransferMeter
    fileprivate let hop: Int

    /// Reports how many bytes of the request body have been sent so far.
    ///
    /// `total` is the length of the body; `nil` if unknown.
    public func sent(_ bytes: Int64, of total: Int64?) { meter.noteSent(bytes, of: total, hop: hop) }

    /// Reports how many bytes of the response body have been received so far.
    ///
    /// If possible, bytes are counted before decoding. `total` is the length of the body; `nil` if unknown.
    /// After the first report, Errand counts only reported bytes, so the transport must report all bytes.
    public func received(_ bytes: Int64, of total: Int64?) { meter.noteReceived(bytes, of: total, hop: hop) }
  }
}

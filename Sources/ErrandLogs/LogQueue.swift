/// The events that wait to be written into a log, in order and in batches.
///
/// An event counts against the bounds of the queue until ``end(_:)`` is called with its batch. An event without room is lost, and the log says how many
/// were.
struct LogQueue<Event: Sendable>: Sendable {
  /// How much may wait or be written at a time.
  struct Bounds {
    /// The number of events.
    var count: Int
    /// The number of bytes that the events keep.
    var size: Int
  }

  /// Events that are written at once.
  struct Batch {
    fileprivate(set) var events: [Event] = []
    /// The number of bytes that the events keep.
    fileprivate(set) var size = 0
  }

  let bounds: Bounds
  private let batchLimit: Int
  /// All but the last are full.
  private var batches: [Batch] = []
  /// The number of events that wait or are being written.
  private(set) var count = 0
  /// The number of bytes that these events keep.
  private(set) var size = 0
  /// The number of events that are not in the log.
  private(set) var lost = 0
  /// The number of lost events of which the log does not tell yet.
  private(set) var untold = 0

  /// - Parameter batchLimit: the number of events that are written at once at most.
  init(within bounds: Bounds, batchLimit: Int) { (self.bounds, self.batchLimit) = (bounds, batchLimit) }

  /// The number of batches that wait.
  var batchCount: Int { batches.count }

  /// Whether nothing but events that keep no bytes may be added.
  var isFull: Bool { count >= bounds.count || size >= bounds.size }

  /// Adds an event; `false` where the event does not fit into the bounds, which may be tighter than those of the queue.
  mutating func add(_ event: Event, size more: Int = 0, within bounds: Bounds) -> Bool {
    guard count < bounds.count, more == 0 || more <= bounds.size - size else { return false }
    if batches.last.map({ $0.events.count == batchLimit }) ?? true { batches.append(Batch()) }
    let last = batches.count - 1
    batches[last].events.append(event)
    batches[last].size += more
    count += 1
    size += more
    return true
  }

  /// Takes the first batch, which counts until ``end(_:)``; an empty one where nothing waits.
  mutating func next() -> Batch { batches.isEmpty ? Batch() : batches.removeFirst() }

  /// Forgets a batch that was written, or could not be.
  mutating func end(_ batch: (count: Int, size: Int)) {
    count -= batch.count
    size -= batch.size
  }

  /// Counts events that are not in the log.
  ///
  /// - Parameter isTold: whether the log tells of the events in another way; `false` by default.
  mutating func lose(_ count: Int = 1, isTold: Bool = false) {
    lost += count
    if !isTold { untold += count }
  }

  /// Returns how many lost events the log is to tell of, and counts these as told.
  mutating func takeUntold() -> Int {
    defer { untold = 0 }
    return untold
  }
}

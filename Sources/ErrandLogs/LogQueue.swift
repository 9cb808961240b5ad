struct LogQueue<Event: Sendable>: Sendable {
  struct Bounds {
    var count: Int
    /// In bytes.
    var size: Int
  }

  struct Batch {
    fileprivate(set) var events: [Event] = []
    fileprivate(set) var size = 0
  }

  let bounds: Bounds
  private let batchLimit: Int
  /// The waiting events.
  ///
  /// Each batch except the last batch is full.
  private var batches: [Batch] = []
  /// The number of events waiting or being written.
  private(set) var count = 0
  private(set) var size = 0
  private(set) var lost = 0
  private(set) var unreported = 0

  init(within bounds: Bounds, batchLimit: Int) { (self.bounds, self.batchLimit) = (bounds, batchLimit) }

  var batchCount: Int { batches.count }

  var isFull: Bool { count >= bounds.count || size >= bounds.size }

  /// Adds an event; returns `false` without room.
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

  /// Removes and returns the first batch; returns an empty batch if no event waits.
  ///
  /// The events count against the bounds until ``end(_:)``.
  mutating func next() -> Batch { batches.isEmpty ? Batch() : batches.removeFirst() }

  mutating func end(_ batch: (count: Int, size: Int)) {
    count -= batch.count
    size -= batch.size
  }

  /// Counts lost events.
  ///
  /// `isReported` is true if the writer itself reports the loss in the log.
  mutating func lose(_ count: Int = 1, isReported: Bool = false) {
    lost += count
    if !isReported { unreported += count }
  }

  mutating func takeUnreported() -> Int {
    defer { unreported = 0 }
    return unreported
  }
}

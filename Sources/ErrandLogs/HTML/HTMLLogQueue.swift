/// The events that wait to be written, in order and in batches, and what they and those that are being written take.
struct HTMLLogQueue {
  /// Events that are written at once.
  struct Batch {
    fileprivate(set) var events: [HTMLLogEntry] = []
    /// The bytes of bodies that they keep.
    fileprivate(set) var size = 0
  }

  private static let batchCount = 128
  /// So many events may wait with their dispatches, of which each may keep much.
  private static let mostDispatches = 32

  private let limits: HTMLLogger.Limits
  /// The last may take more.
  private var batches: [Batch] = []
  /// How many wait or are being written.
  private(set) var count = 0
  /// The bytes of bodies that they keep.
  private(set) var size = 0

  init(limits: HTMLLogger.Limits) { self.limits = limits }

  /// How many batches wait.
  var batchCount: Int { batches.count }

  /// Whether nothing but what takes no room may be added.
  var isFull: Bool { count >= limits.waitingEvents || size >= limits.waitingSize }

  /// Adds an event; `false` where it does not fit.
  ///
  /// Those that keep their dispatches may take half of the room, so that the text of others has some.
  mutating func add(_ event: HTMLLogEntry, size more: Int) -> Bool {
    var (mostEvents, mostSize) = (limits.waitingEvents, limits.waitingSize)
    if case .event = event { (mostEvents, mostSize) = (min(mostEvents, Self.mostDispatches), mostSize / 2) }
    guard count < mostEvents, more == 0 || more <= mostSize - size else { return false }
    if batches.last.map({ $0.events.count == Self.batchCount }) ?? true { batches.append(Batch()) }
    let last = batches.count - 1
    batches[last].events.append(event)
    batches[last].size += more
    count += 1
    size += more
    return true
  }

  /// Takes the first batch, which counts until ``end(_:)``; an empty one where nothing waits.
  mutating func next() -> Batch { batches.isEmpty ? Batch() : batches.removeFirst() }

  /// Forgets a batch that was written.
  mutating func end(_ batch: (count: Int, size: Int)) {
    count -= batch.count
    size -= batch.size
  }
}

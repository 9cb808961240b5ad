typealias HTMLLogQueue = LogQueue<HTMLLogEntry>

extension HTMLLogQueue {
  /// From this number of entries on, waiting or being written, further events are converted to text.
  ///
  /// Unlike a text, an event retains the dispatch in memory.
  private static var mostDispatches: Int { 32 }

  init(limits: HTMLLogger.Limits) {
    self.init(within: Bounds(count: limits.waitingEvents, size: limits.waitingSize), batchLimit: 128)
  }

  /// Adds an entry, or returns `false` without room; half of the size is reserved for converted events.
  mutating func add(_ event: HTMLLogEntry, size: Int) -> Bool {
    var bounds = bounds
    if case .event = event {
      bounds = Bounds(count: min(bounds.count, Self.mostDispatches), size: bounds.size / 2)
    }
    return add(event, size: size, within: bounds)
  }
}

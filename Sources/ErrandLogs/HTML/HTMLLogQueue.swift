typealias HTMLLogQueue = LogQueue<HTMLLogEntry>

extension HTMLLogQueue {
  /// With this number of entries in the queue, further events are converted to text.
  ///
  /// An event retains the dispatch in memory. A text does not.
  private static var mostDispatches: Int { 32 }

  init(limits: HTMLLogger.Limits) {
    self.init(within: Bounds(count: limits.waitingEvents, size: limits.waitingSize), batchLimit: 128)
  }

  /// Adds an entry; returns `false` without room.
  ///
  /// Entries without a text may fill half of the queue, to leave room for texts.
  mutating func add(_ event: HTMLLogEntry, size: Int) -> Bool {
    var bounds = bounds
    if case .event = event {
      bounds = Bounds(count: min(bounds.count, Self.mostDispatches), size: bounds.size / 2)
    }
    return add(event, size: size, within: bounds)
  }
}

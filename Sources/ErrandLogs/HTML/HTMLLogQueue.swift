typealias HTMLLogQueue = LogQueue<HTMLLogEntry>

extension HTMLLogQueue {
  /// The number of events in the queue up to which a further event may keep its dispatch in memory.
  ///
  /// Beyond the number, an event is first converted to text, because a dispatch may retain much memory.
  private static var mostDispatches: Int { 32 }

  init(limits: HTMLLogger.Limits) {
    self.init(within: Bounds(count: limits.waitingEvents, size: limits.waitingSize), batchLimit: 128)
  }

  /// Adds an event; returns `false` without room for the event.
  ///
  /// Half of the size limit is reserved for events already converted to text.
  mutating func add(_ event: HTMLLogEntry, size: Int) -> Bool {
    var bounds = bounds
    if case .event = event {
      bounds = Bounds(count: min(bounds.count, Self.mostDispatches), size: bounds.size / 2)
    }
    return add(event, size: size, within: bounds)
  }
}

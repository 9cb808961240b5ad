/// The events that wait for an HTML log.
typealias HTMLLogQueue = LogQueue<HTMLLogEntry>

extension HTMLLogQueue {
  /// So many events may wait with their dispatches, because a dispatch may keep much.
  private static var mostDispatches: Int { 32 }

  init(limits: HTMLLogger.Limits) {
    self.init(within: Bounds(count: limits.waitingEvents, size: limits.waitingSize), batchLimit: 128)
  }

  /// Adds an event; `false` where the event does not fit.
  ///
  /// The events that keep their dispatches may take half of the room, so that there is some for the text of others.
  mutating func add(_ event: HTMLLogEntry, size: Int) -> Bool {
    var bounds = bounds
    if case .event = event {
      bounds = Bounds(count: min(bounds.count, Self.mostDispatches), size: bounds.size / 2)
    }
    return add(event, size: size, within: bounds)
  }
}

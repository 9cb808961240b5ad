import Foundation

/// Reports the connection steps of an attempt to the accessories with ``Accessory/watchesConnections``.
final class ConnectionNotifier: Sendable {
  private typealias Note = (step: TransportSummary.ConnectionStep, time: Date)

  private struct State {
    var waiting = FIFOQueue<Note>()
    /// The task that reports the notes; `nil` if all notes are reported.
    var task: Task<Void, Never>?
    var isEnded = false
  }

  private let accessories: [any Accessory]
  private let context: RequestContext
  private let clock: AgentClock
  private let state = Locked(State())

  private init(_ accessories: [any Accessory], context: RequestContext, clock: AgentClock) {
    (self.accessories, self.context, self.clock) = (accessories, context, clock)
  }

  /// Returns a notifier; `nil` if no accessory asks for the steps.
  static func make(
    for accessories: [any Accessory], context: RequestContext, clock: AgentClock
  ) -> ConnectionNotifier? {
    guard accessories.contains(where: { $0.watchesConnections }) else { return nil }
    return ConnectionNotifier(
      accessories.filter { $0.watchesConnections }, context: context, clock: clock)
  }

  /// Notes a step that was reached `delay` ago; may be called on any thread.
  func note(_ step: TransportSummary.ConnectionStep, after delay: Duration) {
    let time = clock.date.addingTimeInterval(-(delay / .seconds(1)))
    state.withLock { state in
      guard !state.isEnded else { return }
      state.waiting.append((step, time))
      if state.task == nil { state.task = Task { [self] in await tellAll() } }
    }
  }

  /// Ignores later steps, and waits until all noted steps are reported.
  func end() async {
    let task = state.withLock { state in
      state.isEnded = true
      return state.task
    }
    await task?.value
  }

  private func tellAll() async {
    while let note = next() {
      for accessory in accessories {
        await accessory.connectionDidStep(note.step, at: note.time, context: context)
      }
    }
  }

  private func next() -> Note? {
    state.withLock { state in
      let note = state.waiting.popFirst()
      if note == nil { state.task = nil }
      return note
    }
  }
}

final class ProgressNotifier: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isTelling = false
    var isEnded = false
    var hasNews = false
    var told: TransferProgress?
  }

  /// `nil` if no accessory asks for the steps of connections.
  let connections: ConnectionNotifier?
  private let meter: TransferMeter
  private let accessories: [any Accessory]
  private let context: RequestContext
  private let state = Locked(State())

  init(
    _ meter: TransferMeter, accessories: [any Accessory], context: RequestContext, clock: AgentClock
  ) {
    connections = ConnectionNotifier.make(for: accessories, context: context, clock: clock)
    self.meter = meter
    self.accessories = accessories
    self.context = context
  }

  func note(_ progress: TransferProgress) {
    state.withLock { state in
      guard !state.isEnded, progress.phase != .waiting else { return }
      state.hasNews = true
      // A transfer complete before the first report needs no task, because `end()` reports the progress.
      let isSoonOver = state.told == nil && progress.completed == progress.total
      guard !state.isTelling, !isSoonOver, progress.completed > 0 else { return }
      state.isTelling = true
      state.task = Task { [self] in await tellAll() }
    }
  }

  func end() async {
    if let connections { await connections.end() }
    let task = state.withLock { state in
      state.isEnded = true
      return state.task
    }
    meter.forgetWatcher()
    await task?.value
    let progress = meter.progress
    let wasTold = state.withLock { $0.told.map { $0.hasSameCounts(as: progress) } ?? false }
    if !wasTold, progress.completed > 0 || progress.sent > 0 { await tell(progress) }
  }

  private func tellAll() async {
    while let progress = next() { await tell(progress) }
  }

  private func next() -> TransferProgress? {
    let progress = meter.progress
    return state.withLock { state in
      guard state.hasNews, !state.isEnded else {
        state.isTelling = false
        return nil
      }
      state.hasNews = false
      state.told = progress
      return progress
    }
  }

  private func tell(_ progress: TransferProgress) async {
    for accessory in accessories { await accessory.transferDidProgress(progress, context: context) }
  }
}

/// Turns the attempts of all dispatches it watches into one on and off; made by `.activity`.
struct ActivityAccessory: Accessory {
  private struct State {
    /// The dispatches whose attempt is on its way.
    var running: Set<ObjectIdentifier> = []
    /// What was told last.
    var isOn = false
    /// Whether a dispatch is telling it; that one also tells what changes meanwhile.
    var isTelling = false
  }

  private let state = Locked(State())
  private let changed: @Sendable (Bool) async -> Void

  init(_ changed: @escaping @Sendable (Bool) async -> Void) { self.changed = changed }

  /// Begins the activity.
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    let dispatch = ObjectIdentifier(context.dispatched)
    _ = state.withLock { $0.running.insert(dispatch) }
    await tell()
  }

  /// Ends the activity.
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let dispatch = ObjectIdentifier(context.dispatched)
    _ = state.withLock { $0.running.remove(dispatch) }
    await tell()
  }

  private func tell() async {
    var mayBegin = true
    while let isOn = change(mayBegin) {
      mayBegin = false
      await changed(isOn)
    }
  }

  /// What is to be told now; `nil` when it was told, or another dispatch is telling it.
  private func change(_ mayBegin: Bool) -> Bool? {
    state.withLock { state in
      guard !mayBegin || !state.isTelling else { return nil }
      let isOn = !state.running.isEmpty
      state.isTelling = isOn != state.isOn
      guard state.isTelling else { return nil }
      state.isOn = isOn
      return isOn
    }
  }
}

extension Accessory where Self == EventAccessory {
  /// Turns the attempts of all dispatches that the accessory watches into one on and off: a spinner, a network indicator.
  ///
  /// ```swift
  /// let activity: EventAccessory = .activity { isActive in await spinner.show(isActive) }
  /// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [activity])
  /// ```
  ///
  /// It is on from the first attempt that goes to the transport to the end of the last; not while only retries are waited for.
  /// Give the same value to several agents to have one switch for all of them.
  ///
  /// - Parameter changed: called with `true` and `false` in turn, never twice at once, by whichever dispatch makes the change, which
  ///   waits for it. Mark the closure `@MainActor` to be called there. What goes off and on again meanwhile is not told.
  public static func activity(_ changed: @escaping @Sendable (Bool) async -> Void) -> EventAccessory {
    let activity = ActivityAccessory(changed)
    return EventAccessory(
      willSend: { await activity.attemptWillSend($0, context: $1) },
      attemptStopped: { await activity.attemptDidStop($0, context: $1) })
  }
}

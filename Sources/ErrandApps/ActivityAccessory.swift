public import Errand

struct ActivityAccessory: Accessory {
  private struct State {
    var running: Set<ObjectIdentifier> = []
    var isOn = false
    /// True while a dispatch awaits ``changed``.
    ///
    /// The same dispatch then reports a newer value, if any.
    var isTelling = false
  }

  private let state = Locked(State())
  private let changed: @Sendable (Bool) async -> Void

  init(_ changed: @escaping @Sendable (Bool) async -> Void) { self.changed = changed }

  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    let dispatch = context.dispatchIdentity
    _ = state.withLock { $0.running.insert(dispatch) }
    await tell()
  }

  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let dispatch = context.dispatchIdentity
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
  /// Reports whether any attempt is in transfer, for example to show a spinner.
  ///
  /// ```swift
  /// let activity: EventAccessory = .activity { isActive in await spinner.show(isActive) }
  /// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [activity])
  /// ```
  ///
  /// Responses from the cache alone do not count, and neither do waits for a retry. `changed` is called with
  /// `true` and `false` alternately. A dispatch waits for each call.
  public static func activity(_ changed: @escaping @Sendable (Bool) async -> Void) -> EventAccessory {
    let activity = ActivityAccessory(changed)
    return EventAccessory(
      willSend: { await activity.attemptWillSend($0, context: $1) },
      attemptStopped: { await activity.attemptDidStop($0, context: $1) })
  }
}

/// The `User-Agent` that ``AgentConfiguration/makeUserAgent`` gives: asked for once, by the first dispatch that needs it.
final class DeferredUserAgent: Sendable {
  /// What came of it; `value` is `nil` where there was nothing to send.
  private struct Answer: Sendable { let value: String? }

  /// Whether the running task finds it out: what that sends must not wait for itself.
  @TaskLocal private static var isBeingMade = false

  private let make: @Sendable () async -> String?
  private let isBegun = Locked(false)
  private let end = OneTime<Answer>()

  init(_ make: @escaping @Sendable () async -> String?) { self.make = make }

  /// What to send; `nil` before it is known, and where nothing usable was given.
  var value: String? { end.value?.value }

  /// Whether it is there without waiting.
  var isKnown: Bool { end.value != nil }

  /// Waits until it is known, where a request has none of its own, and the time of its attempt lets it.
  ///
  /// - Parameter standard: what every request has besides.
  @inline(never)
  func wait(
    for request: some Request, besides standard: HTTPHeaders, within time: TimeLimits, by clock: AttemptClock
  ) async throws {
    guard request.customRequest == nil, !request.headers.contains("User-Agent"),
      !standard.contains("User-Agent")
    else { return }
    do {
      try await wait(unless: time.signal(clock.watch))
    } catch {
      try time.check(clock.watch)
      throw error
    }
    try time.check(clock.watch)
  }

  /// Returns when it is known, and at once in what finds it out; throws `CancellationError` when `signal` fires first.
  ///
  /// It is made in a task that belongs to no one who waits.
  private func wait(unless signal: CancellationSignal) async throws {
    guard !Self.isBeingMade else { return }
    let isFirst = isBegun.withLock { isBegun in
      defer { isBegun = true }
      return !isBegun
    }
    if isFirst {
      Task { [make, end] in
        let text = await Self.$isBeingMade.withValue(true) { await make() }
        end.set(Answer(value: text.flatMap(DefaultHeaders.fieldText)))
      }
    }
    _ = try await signal.cancelling { [end] in try await end.wait() }
  }
}

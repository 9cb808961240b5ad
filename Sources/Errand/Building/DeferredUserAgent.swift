/// The `User-Agent` from ``AgentConfiguration/makeUserAgent``.
///
/// The first request that needs the value starts the closure.
final class DeferredUserAgent: Sendable {
  /// `nil`: the closure returned no usable text.
  private struct Answer: Sendable { let value: String? }

  /// True inside the closure.
  ///
  /// Requests sent by the closure must not wait for the closure.
  @TaskLocal private static var isBeingMade = false

  private let make: @Sendable () async -> String?
  private let isBegun = Locked(false)
  private let end = OneTime<Answer>()

  init(_ make: @escaping @Sendable () async -> String?) { self.make = make }

  /// `nil`: the closure has not ended, or returned no usable text.
  var value: String? { end.value?.value }

  var isKnown: Bool { end.value != nil }

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

  /// Waits for the closure; the first call starts the closure.
  ///
  /// The closure runs in a separate task, because a cancelled waiter must not cancel the closure.
  private func wait(unless signal: CancellationSignal) async throws {
    guard !Self.isBeingMade else { return }
    let isFirst = isBegun.withLock { isBegun in
      defer { isBegun = true }
      return !isBegun
    }
    if isFirst {
      Task { [make, end] in
        let text = await AmbientDeadline.$current.withValue(nil) {
          await Self.$isBeingMade.withValue(true) { await make() }
        }
        end.set(Answer(value: text.flatMap(PlatformHeaders.fieldText)))
      }
    }
    _ = try await signal.cancelling { [end] in try await end.wait() }
  }
}

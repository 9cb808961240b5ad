#if os(Linux)
import Foundation

/// The stored results and the running calls of the routes' lookup closures, by closure and host.
final class CurlLookups: Sendable {
  typealias Outcome = Result<[String], any Error>

  private struct Key: Hashable {
    let lookup: NameLookup
    let host: String
  }

  private enum Entry {
    case running(OneTime<Outcome>)
    case known([String], until: ContinuousClock.Instant)
  }

  private enum Step {
    case known([String])
    case starts(OneTime<Outcome>)
    case waits(OneTime<Outcome>)
  }

  private static let limit = 4096
  private let now: @Sendable () -> ContinuousClock.Instant
  private let entries = Locked<[Key: Entry]>([:])

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  func addresses(of host: String, by lookup: NameLookup, for request: TransportRequest) async throws
    -> [String]
  {
    let key = Key(lookup: lookup, host: host)
    switch step(for: key) {
    case .known(let addresses): return addresses
    case .waits(let outcome): return try await Self.wait(for: outcome, request)
    case .starts(let outcome):
      Task { [self] in
        // Other dispatches may share the lookup, so the deadline of this dispatch must not end the lookup.
        let found = await AmbientDeadline.$current.withValue(nil) { await Self.find(key) }
        record(found, of: outcome, for: key)
        outcome.set(found)
      }
      return try await Self.wait(for: outcome, request)
    }
  }

  func removeAll() { entries.withLock { $0.removeAll() } }

  private func step(for key: Key) -> Step {
    let time = now()
    return entries.withLock { entries in
      switch entries[key] {
      case .known(let addresses, let end) where end > time: return .known(addresses)
      case .running(let outcome): return .waits(outcome)
      default:
        let outcome = OneTime<Outcome>()
        entries[key] = .running(outcome)
        return .starts(outcome)
      }
    }
  }

  /// Stores the addresses of a successful lookup.
  ///
  /// After ``removeAll()``, the result of a running lookup may be outdated, and is not stored.
  private func record(_ found: Outcome, of running: OneTime<Outcome>, for key: Key) {
    let end = now() + key.lookup.lifetime.clamped(to: AgentClock.longestSleep)
    entries.withLock { entries in
      guard case .running(let current)? = entries[key], current === running else { return }
      guard case .success(let addresses) = found else { return entries[key] = nil }
      if entries.count >= Self.limit {
        entries = entries.filter { if case .running = $0.value { true } else { false } }
      }
      entries[key] = .known(addresses, until: end)
    }
  }

  private static func find(_ key: Key) async -> Outcome {
    let start = "the lookup of ConnectionSettings.routes for \(key.host)"
    do {
      let addresses = try await key.lookup.addresses(key.host)
      if addresses.isEmpty { throw TransportError(.nameNotResolved, "\(start) found no address") }
      if let stray = addresses.first(where: { !IPAddress.isPlain($0) }) {
        throw TransportError(
          .nameNotResolved, "\(start) found \(stray.debugDescription), which is not an IP address")
      }
      return .success(addresses)
    } catch let error as TransportError {
      return .failure(error)
    } catch {
      return .failure(TransportError(.nameNotResolved, "\(start) failed: \(error)"))
    }
  }

  private static func wait(for outcome: OneTime<Outcome>, _ request: TransportRequest) async throws
    -> [String]
  {
    let first = OneTime<Outcome>()
    let ending = request.cancellation.onCancel { first.set(.failure(TransportError.cancelled)) }
    defer { request.cancellation.removeHandler(ending) }
    let limit = request.limits.connectTimeout
    let time = min(request.timeout, limit ?? request.timeout)
    let timer = SuspendableTimer(after: time, suspension: request.suspension) {
      let isOfLimit = time == limit
      let late = TransportError(.timedOut, "the name lookup did not end within \(time.secondsText)")
      first.set(.failure(isOfLimit ? TransportError.passed(.connect, of: time) : late))
    }
    defer { timer.stop() }
    let waiting = Task { if let found = try? await outcome.wait() { first.set(found) } }
    defer { waiting.cancel() }
    guard let found = try? await first.wait() else { throw TransportError.cancelled }
    return try found.get()
  }
}
#endif

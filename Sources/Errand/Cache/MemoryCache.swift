import Foundation

/// Keeps answers in memory, the least recently used of them no longer than there is room.
///
/// Of one URL and one user there are up to 16 variants by `Vary`, and the least recently used one goes.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cache = MemoryCache()
/// ```
///
/// May be used from anywhere. Its text tells how much it holds, and nothing of what.
public final class MemoryCache: ResponseCache, @unchecked Sendable {
  /// How many bytes it may hold, heads included.
  public let capacity: Int

  // Guard of all that is in it: its own lock.
  private let state = Locked(State())

  /// Makes an empty one.
  ///
  /// - Parameter capacity: how many bytes it may hold: 16 MiB by default. A single answer may take an eighth of them.
  public init(capacity: Int = 16 << 20) { self.capacity = max(0, capacity) }

  /// The one of that name in this process, for as long as somebody keeps it: agents that name it share it.
  ///
  /// - Parameters:
  ///   - name: any text.
  ///   - capacity: of one that is made now: 16 MiB by default.
  public static func named(_ name: String, capacity: Int = 16 << 20) -> MemoryCache {
    shared.withLock { shared in
      if let known = shared[name]?.cache { return known }
      shared = shared.filter { $0.value.cache != nil }
      let cache = MemoryCache(capacity: capacity)
      shared[name] = Weak(cache: cache)
      return cache
    }
  }

  private struct Weak: Sendable { weak var cache: MemoryCache? }

  // Guard: its lock.
  private static let shared = Locked([String: Weak]())

  /// How many bytes it holds, heads included, and how many answers.
  public var size: (bytes: Int, count: Int) { state.withLock { ($0.cost, $0.count) } }

  /// What is stored for the key.
  override func responses(for key: CacheKey) async -> [CachedResponse] {
    state.withLock { $0.use(key) }
  }

  override func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    let shelf = MemoryShelves.Place(key: key, shelf: question.shelf)
    // Values of request fields are hashed outside the lock.
    let stored = state.withLock { state in
      state.use(shelf)
      return state.items(on: shelf)
    }
    guard !stored.isEmpty else { return state.withLock { $0.others(of: key, most: 4) } }
    if stored.count == 1 { return [stored[0].response] }
    let found = question.choose(among: stored)
    state.withLock { $0.use(shelf, variants: Set(found.map(\.variant))) }
    return found
  }

  /// Keeps an answer; why it does not, as a clause.
  override func store(_ response: CachedResponse, for key: CacheKey) async -> String? {
    guard response.cost <= capacity / 8 else { return "it is too large for the cache" }
    var kept = response
    // What a file holds for another store is no memory of ours.
    guard let body = try? response.body.data() else { return "its body cannot be read" }
    kept.body = CachedBody(body)
    // What is put out is released outside the lock.
    let gone = state.withLock { [kept] in $0.store(kept, for: key, capacity: capacity) }
    withExtendedLifetime(gone) {}
    return nil
  }

  /// Begins an answer whose body comes piece by piece.
  override func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self, limit: capacity / 8)
  }

  /// Removes the answer of that key and variant.
  override func remove(_ variant: String, of key: CacheKey) async {
    withExtendedLifetime(state.withLock { $0.remove(key) { $0.text == variant } }) {}
  }

  /// Removes all answers of a canonical URL, whosever they are.
  override func removeAll(of url: String) async {
    let gone = state.withLock { state in
      state.keys.filter { $0.url == url || $0.url.hasPrefix(url + " ") }.map {
        state.remove($0) { _ in true }
      }
    }
    withExtendedLifetime(gone) {}
  }

  /// Removes what the predicate says.
  override func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {
    // A predicate is the caller's code, and runs outside the lock.
    let all = state.withLock { $0.all }
    for (key, responses) in all {
      let variants = Set(responses.filter { isRemoved(key, $0) }.map(\.variant))
      guard !variants.isEmpty else { continue }
      withExtendedLifetime(state.withLock { $0.remove(key) { variants.contains($0.text) } }) {}
    }
  }

  private typealias State = MemoryShelves
}

extension MemoryCache: PrintedByDescription {
  /// Such as `MemoryCache(12 answers, 34567 of 16777216 bytes)`.
  public var description: String {
    let (bytes, count) = size
    return "MemoryCache(\(count) answers, \(bytes) of \(capacity) bytes)"
  }
}

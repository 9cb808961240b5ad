import Foundation

final class MemoryCache: ResponseCache, @unchecked Sendable {
  let capacity: Int

  private let state = Locked(State())

  init(capacity: Int = 16 << 20) { self.capacity = max(0, capacity) }

  static func named(_ name: String, capacity: Int = 16 << 20) -> MemoryCache {
    shared.withLock { shared in
      if let known = shared[name]?.cache { return known }
      shared = shared.filter { $0.value.cache != nil }
      let cache = MemoryCache(capacity: capacity)
      shared[name] = Weak(cache: cache)
      return cache
    }
  }

  private struct Weak: Sendable { weak var cache: MemoryCache? }

  private static let shared = Locked([String: Weak]())

  var size: (bytes: Int, count: Int) { state.withLock { ($0.cost, $0.count) } }

  override func responses(for key: CacheKey) async -> [CachedResponse] {
    state.withLock { $0.use(key) }
  }

  override func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    let group = MemoryResponses.GroupKey(key: key, variantGroup: question.variantGroup)
    let stored = state.withLock { state in
      state.use(group)
      return state.items(in: group)
    }
    guard !stored.isEmpty else { return state.withLock { $0.responses(for: key, limit: 4) } }
    if stored.count == 1 { return [stored[0].response] }
    // Outside the lock, because hashing the header values takes time.
    let found = question.choose(among: stored)
    state.withLock { $0.use(group, variants: Set(found.map(\.variant))) }
    return found
  }

  override func store(_ response: CachedResponse, for key: CacheKey) async -> String? {
    guard response.cost <= capacity / 8 else { return "the response is too large for the cache" }
    var kept = response
    guard let body = try? response.body.data() else { return "the body of the response cannot be read" }
    kept.body = CachedBody(body)
    // The removed responses are released outside the lock.
    let gone = state.withLock { [kept] in $0.store(kept, for: key, capacity: capacity) }
    withExtendedLifetime(gone) {}
    return nil
  }

  override func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self, limit: capacity / 8)
  }

  override func remove(_ variant: String, of key: CacheKey) async {
    withExtendedLifetime(state.withLock { $0.remove(key) { $0.text == variant } }) {}
  }

  override func removeAll(of url: String) async {
    let gone = state.withLock { state in
      state.keys.filter { $0.url == url || $0.url.hasPrefix(url + " ") }.map {
        state.remove($0) { _ in true }
      }
    }
    withExtendedLifetime(gone) {}
  }

  override func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {
    // The predicate is the caller's code and must not run inside the lock.
    let all = state.withLock { $0.all }
    for (key, responses) in all {
      let variants = Set(responses.filter { isRemoved(key, $0) }.map(\.variant))
      guard !variants.isEmpty else { continue }
      withExtendedLifetime(state.withLock { $0.remove(key) { variants.contains($0.text) } }) {}
    }
  }

  private typealias State = MemoryResponses
}

extension MemoryCache: PrintedByDescription {
  /// A text such as `MemoryCache(12 answers, 34567 of 16777216 bytes)`.
  public var description: String {
    let (bytes, count) = size
    return "MemoryCache(\(count) answers, \(bytes) of \(capacity) bytes)"
  }
}

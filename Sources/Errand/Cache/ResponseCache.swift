public import Foundation

/// Where answers are kept: a store without rules, which are the agent's.
///
/// Ready-made are ``MemoryCache`` and ``DiskCache``. One of your own stores what it is given and finds it again; it decides nothing about
/// freshness. It may lose anything at any time, and must never give a part of what it was given, or something else. An agent
/// uses it from many tasks at once, off the main actor, and waits for it: what takes long holds up requests. None of its methods throws: a store
/// that cannot do something has it not.
///
/// An agent uses one where ``AgentConfiguration/cache`` names it. Agents that are given the same one share what is in it.
public protocol ResponseCache: Sendable {
  /// What is stored for the key, in any order.
  func responses(for key: CacheKey) async -> [CachedResponse]

  /// Keeps an answer in place of one of the same key and ``CachedResponse/variant``.
  ///
  /// - Returns: why it is not kept, as a clause; `nil` where it is.
  func store(_ response: CachedResponse, for key: CacheKey) async -> String?

  /// Begins an answer whose body comes piece by piece; gathers it in memory for ``store(_:for:)`` by default.
  ///
  /// - Returns: what takes the pieces; `nil` where the answer cannot be kept.
  func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)?

  /// Removes the answer of that key and variant.
  func remove(_ variant: String, of key: CacheKey) async

  /// Removes all answers of a canonical URL, ``CacheKey/url``, whosever they are, and those to other methods, whose URLs go on with a blank.
  func removeAll(of url: String) async

  /// Removes what the predicate says.
  func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async
}

/// Takes a body that is stored while it is read; it is kept only after ``finish()``.
///
/// One caller at a time. One that is dropped without an end keeps nothing.
public protocol CachedBodyWriter: AnyObject, Sendable {
  /// Takes the next bytes.
  func append(_ bytes: Data) async
  /// Keeps the answer, as its body is whole; returns why it is not kept, as a clause.
  func finish() async -> String?
}

extension ResponseCache {
  /// Gathers the body in memory.
  public func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self)
  }
}

/// Gathers a body for a store that takes it whole.
final class GatheringWriter: CachedBodyWriter {
  private let response: CachedResponse
  private let key: CacheKey
  private let cache: any ResponseCache
  /// Gives up past it.
  private let limit: Int
  /// `nil` once it has too much.
  private let body = Locked<Data?>(Data())

  init(_ response: CachedResponse, key: CacheKey, cache: any ResponseCache, limit: Int = .max) {
    (self.response, self.key, self.cache, self.limit) = (response, key, cache, limit)
  }

  func append(_ bytes: Data) async {
    body.withLock { body in
      if (body?.count ?? 0) + bytes.count > limit { body = nil } else { body?.append(bytes) }
    }
  }

  func finish() async -> String? {
    guard let body = body.withLock({ $0 }) else { return "it is too large for the cache" }
    var whole = response
    whole.body = CachedBody(body)
    return await cache.store(whole, for: key)
  }
}

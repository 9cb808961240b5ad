import Foundation

/// A store of responses: a ``MemoryCache`` or a ``DiskCache``, for ``AgentConfiguration/cache``.
///
/// A store decides nothing about freshness: the agent applies the rules of RFC 9111. Agents that are given the same store share its
/// responses. A store may be used from anywhere; none of its methods throws, because a store that cannot read a response has no such response.
public class ResponseCache: @unchecked Sendable {
  // No mutable state of its own; the subclasses, both final and in this module, guard theirs with a lock.
  init() {}

  /// Returns the responses stored for the key, in any order.
  func responses(for key: CacheKey) async -> [CachedResponse] { [] }

  /// Returns the responses stored for the key that may answer a question, or show why none does.
  func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    await responses(for: key)
  }

  /// Stores a response in place of one of the same key and ``CachedResponse/variant``.
  ///
  /// - Returns: why the response is not stored, as a clause; `nil` if it is stored.
  func store(_ response: CachedResponse, for key: CacheKey) async -> String? { nil }

  /// Begins a response whose body comes piece by piece; by default the pieces are gathered in memory for ``store(_:for:)``.
  ///
  /// - Returns: the writer of the pieces; `nil` if the response cannot be stored.
  func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self)
  }

  /// Removes the response of that key and variant.
  func remove(_ variant: String, of key: CacheKey) async {}

  /// Removes all responses of a canonical URL, ``CacheKey/url``, of all users, and those to other methods, whose URLs go on with a blank.
  func removeAll(of url: String) async {}

  /// Removes the responses for which the predicate is true.
  func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {}
}

/// Takes a body that is stored while it is read; it is kept only after ``finish()``.
///
/// One caller at a time. One that is dropped without an end keeps nothing.
protocol CachedBodyWriter: AnyObject, Sendable {
  /// Takes the next bytes.
  func append(_ bytes: Data) async
  /// Keeps the answer, as its body is whole; returns why it is not kept, as a clause.
  func finish() async -> String?
}

/// Gathers a body for a store that takes it whole.
final class GatheringWriter: CachedBodyWriter {
  private let response: CachedResponse
  private let key: CacheKey
  private let cache: ResponseCache
  /// Gives up past it.
  private let limit: Int
  /// `nil` once it has too much.
  private let body = Locked<Data?>(Data())

  init(_ response: CachedResponse, key: CacheKey, cache: ResponseCache, limit: Int = .max) {
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

import Foundation

/// A store of responses: a ``MemoryCache`` or a ``DiskCache``, for ``AgentConfiguration/cache``.
///
/// A store decides nothing about freshness: the agent applies the rules of RFC 9111. Agents with the same
/// store share its responses. A store may be used from any thread. No method throws, because an
/// unreadable response counts as absent.
public class ResponseCache: @unchecked Sendable {
  // The class has no mutable state. Both subclasses are final, and guard their state with a lock.
  init() {}

  /// Returns the responses stored for the key, in any order.
  func responses(for key: CacheKey) async -> [CachedResponse] { [] }

  /// Returns the stored responses that may match a question, or that explain a miss.
  func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    await responses(for: key)
  }

  /// Stores a response, and replaces a response with the same key and ``CachedResponse/variant``.
  ///
  /// - Returns: the reason for a failure, as a clause; `nil`: the response is stored.
  func store(_ response: CachedResponse, for key: CacheKey) async -> String? { nil }

  /// Returns a writer for a response with a body in chunks; by default gathers chunks for
  /// ``store(_:for:)``.
  ///
  /// - Returns: the writer of the chunks; `nil`: the response cannot be stored.
  func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self)
  }

  /// Removes the response with the key and variant.
  func remove(_ variant: String, of key: CacheKey) async {}

  /// Removes all responses of a canonical URL, of all users and all methods.
  ///
  /// If a key contains a method, the key starts with the URL and a space; see ``CacheKey/url``.
  func removeAll(of url: String) async {}

  /// Removes the responses for which the predicate is true.
  func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {}
}

/// A writer of a body in chunks; the response is stored only after ``finish()``.
///
/// The writer has a single caller at a time. A writer released before ``finish()`` stores no response.
protocol CachedBodyWriter: AnyObject, Sendable {
  /// Appends a chunk.
  func append(_ bytes: Data) async
  /// Stores the response with its whole body; returns the reason for a failure as a clause.
  func finish() async -> String?
}

/// A writer that gathers the whole body in memory before storing the response.
final class GatheringWriter: CachedBodyWriter {
  private let response: CachedResponse
  private let key: CacheKey
  private let cache: ResponseCache
  /// The maximum number of bytes.
  private let limit: Int
  /// The bytes so far; `nil`: the body exceeds the limit.
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

public import Foundation

/// A store of responses in memory or on disk, for ``AgentConfiguration/cache``.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cache = .memory()
/// ```
///
/// Agents with the same store may share responses. An unreadable response usually counts as absent.
public class ResponseCache: @unchecked Sendable {
  // The class has no mutable state. The subclasses guard their state with locks.
  init() {}

  func responses(for key: CacheKey) async -> [CachedResponse] { [] }

  /// Returns the stored responses that may match the question or give the reason for a cache miss.
  func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    await responses(for: key)
  }

  /// Stores a response in place of the response with the same key and ``CachedResponse/variant``.
  ///
  /// - Returns: the reason for a failure, as a clause.
  func store(_ response: CachedResponse, for key: CacheKey) async -> String? { nil }

  /// Returns a writer for the body; `nil` if the response cannot be stored.
  func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self)
  }

  func remove(_ variant: String, of key: CacheKey) async {}

  /// Removes all responses of a canonical URL, for all credentials and methods.
  func removeAll(of url: String) async {}

  func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {}
}

extension ResponseCache {
  /// Returns a new cache in memory, which makes room by removing roughly the least recently used responses.
  ///
  /// The number of variants of a response with `Vary` is limited.
  ///
  /// - Parameter capacity: the approximate maximum size in bytes, including response heads: 16 MiB by
  ///   default. A single response may take at most an eighth of the capacity.
  public static func memory(capacity: Int = 16 << 20) -> ResponseCache { MemoryCache(capacity: capacity) }

  /// Returns a cache in memory, shared by all agents of the process that use the same name.
  ///
  /// The cache is released with the last reference.
  ///
  /// - Parameters:
  ///   - name: any text.
  ///   - capacity: the approximate maximum size in bytes of a newly created cache: 16 MiB by default.
  public static func memory(named name: String, capacity: Int = 16 << 20) -> ResponseCache {
    MemoryCache.named(name, capacity: capacity)
  }

  /// Returns a cache on disk, which makes room by removing roughly the least recently used responses.
  ///
  /// ```swift
  /// var configuration = AgentConfiguration()
  /// configuration.cache = try .disk(directory: caches.appending(path: "api"))
  /// ```
  ///
  /// A missing directory is created with access for its owner only. Several processes may use a directory at
  /// the same time. The number of variants of a response with `Vary` is limited.
  ///
  /// Each file has mode 600. URLs and responses are stored in plain form, and request headers with
  /// credentials only as a SHA-256.
  ///
  /// - Parameters:
  ///   - directory: a directory for the cache alone; other files in the directory stay untouched. A symbolic
  ///     link must belong to the current user or to root.
  ///   - capacity: the approximate maximum size of all files in bytes: 256 MiB by default. The body of a
  ///     response may take at most an eighth of the capacity.
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/file`` if the directory is unusable, for example
  ///   because the directory belongs to another user or is writable by other users.
  public static func disk(directory: URL, capacity: Int = 256 << 20) throws -> ResponseCache {
    try DiskCache(directory: directory, capacity: capacity)
  }
}

/// A writer of a body in chunks; the response is not stored before ``finish()``.
///
/// Calls never overlap. A writer released before ``finish()`` stores no response.
protocol CachedBodyWriter: AnyObject, Sendable {
  func append(_ bytes: Data) async
  /// Returns the reason for a failure as a clause.
  func finish() async -> String?
}

/// A writer with the body in memory until the end.
final class GatheringWriter: CachedBodyWriter {
  private let response: CachedResponse
  private let key: CacheKey
  private let cache: ResponseCache
  private let limit: Int
  /// `nil`: the body exceeds the limit.
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
    guard let body = body.withLock({ $0 }) else { return "the response is too large for the cache" }
    var whole = response
    whole.body = CachedBody(body)
    return await cache.store(whole, for: key)
  }
}

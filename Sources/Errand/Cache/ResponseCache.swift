public import Foundation

/// A store of responses in memory or on disk, for ``AgentConfiguration/cache``.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cache = .memory()
/// ```
///
/// Agents with the same store may share responses.
public class ResponseCache: @unchecked Sendable {
  // The class has no mutable state. The subclasses guard their state with locks.
  init() {}

  func responses(for key: CacheKey) async -> [CachedResponse] { [] }

  func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    await responses(for: key)
  }

  /// Stores a response; returns a failure, if any, as a clause.
  func store(_ response: CachedResponse, for key: CacheKey) async -> String? { nil }

  /// Returns a writer for the body; `nil` if the writing cannot start.
  func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    GatheringWriter(response, key: key, cache: self)
  }

  func remove(_ variant: String, of key: CacheKey) async {}

  func removeAll(of url: String) async {}

  func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {}
}

extension ResponseCache {
  /// Returns a new cache in memory.
  ///
  /// The cache removes roughly the least recently used responses to make room.
  ///
  /// - Parameter capacity: the approximate maximum size in bytes: 16 MiB by default. A response may take at
  ///   most an eighth of the capacity.
  public static func memory(capacity: Int = 16 << 20) -> ResponseCache { MemoryCache(capacity: capacity) }

  /// Returns a cache in memory, shared by all agents of the process that use the same name.
  ///
  /// - Parameters:
  ///   - name: The name of the cache.
  ///   - capacity: the approximate maximum size in bytes of a newly created cache: 16 MiB by default.
  public static func memory(named name: String, capacity: Int = 16 << 20) -> ResponseCache {
    MemoryCache.named(name, capacity: capacity)
  }

  /// Returns a cache on disk.
  ///
  /// ```swift
  /// configuration.cache = try .disk(directory: caches.appending(path: "api"))
  /// ```
  ///
  /// URLs and responses are stored in plain form, in files of mode 600. Several processes may use the
  /// directory.
  ///
  /// - Parameters:
  ///   - directory: a directory for the cache alone.
  ///   - capacity: the approximate maximum size in bytes: 256 MiB by default.
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/file`` if the directory is unusable.
  public static func disk(directory: URL, capacity: Int = 256 << 20) throws -> ResponseCache {
    try DiskCache(directory: directory, capacity: capacity)
  }
}

/// A writer of a body in chunks; the calls never overlap.
///
/// A writer released before ``finish()`` stores no response.
protocol CachedBodyWriter: AnyObject, Sendable {
  func append(_ bytes: Data) async
  /// Ends the body; returns the reason against storing, if any, as a clause.
  func finish() async -> String?
}

final class GatheringWriter: CachedBodyWriter {
  private let response: CachedResponse
  private let key: CacheKey
  private let cache: ResponseCache
  private let limit: Int
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

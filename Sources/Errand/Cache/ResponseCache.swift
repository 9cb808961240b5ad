public import Foundation

/// A store of responses in memory or on disk, for ``AgentConfiguration/cache``.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cache = .memory()
/// ```
///
/// A store decides nothing about freshness: the agent applies the rules of RFC 9111. Agents with the same
/// store share its responses. A store may be used from any thread. Lookups, storage and removals do not
/// throw, because an unreadable response counts as absent.
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

extension ResponseCache {
  /// Returns a new cache in memory; removes the least recently used responses to make room.
  ///
  /// A URL has up to 16 variants by `Vary` for each user; the least recently used variant is removed. The
  /// description of the cache states the size, and none of the contents.
  ///
  /// - Parameter capacity: the maximum size in bytes, including response heads: 16 MiB by default. A single
  ///   response may take an eighth.
  public static func memory(capacity: Int = 16 << 20) -> ResponseCache { MemoryCache(capacity: capacity) }

  /// Returns the cache in memory with a name; all agents of the process that use the name share the cache.
  ///
  /// The cache exists as long as a reference is held.
  ///
  /// - Parameters:
  ///   - name: any text.
  ///   - capacity: the maximum size in bytes of a newly created cache: 16 MiB by default.
  public static func memory(named name: String, capacity: Int = 16 << 20) -> ResponseCache {
    MemoryCache.named(name, capacity: capacity)
  }

  /// Returns a cache on disk with a file per response; removes least recently used responses to make room.
  ///
  /// ```swift
  /// var configuration = AgentConfiguration()
  /// configuration.cache = try .disk(directory: caches.appending(path: "api"))
  /// ```
  ///
  /// The directory is created for its owner alone if the directory does not exist. Each file is written under
  /// a temporary name and then renamed. A killed process leaves a whole file or an unfinished file, and never
  /// a damaged response. The next process that opens the directory removes unfinished files. Several
  /// processes may use a directory at the same time.
  ///
  /// A URL has up to 16 variants by `Vary` for each user; the least recently used variant is removed. Files
  /// have mode 600 and contain responses in plain form, and credentials only as a SHA-256. A read or write
  /// error counts as a miss.
  ///
  /// Creating the cache reads no stored response. A lookup lists a 256th of the directory, and reads the
  /// candidate files. The cache reads and writes files on its own queues.
  ///
  /// Each process checks the size after writing a sixteenth of the capacity, so each process may exceed the
  /// maximum by a sixteenth. Unfinished files count, and take at most half of the capacity in a process.
  ///
  /// - Parameters:
  ///   - directory: a directory for the cache alone; foreign files inside are left alone. A symbolic link is
  ///     resolved once, when the cache is created, if the link belongs to the current user or to root.
  ///   - capacity: the approximate maximum size of all files in bytes: 256 MiB by default. A single response
  ///     may take an eighth.
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/file`` if the URL is not a file URL, if the URL
  ///   names a host other than `localhost`, or if the directory cannot be created. The same error is thrown if the path is not a directory or is writable by
  ///   other users. Directory and link must not belong to a different user.
  public static func disk(directory: URL, capacity: Int = 256 << 20) throws -> ResponseCache {
    try DiskCache(directory: directory, capacity: capacity)
  }
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
    guard let body = body.withLock({ $0 }) else { return "the response is too large for the cache" }
    var whole = response
    whole.body = CachedBody(body)
    return await cache.store(whole, for: key)
  }
}

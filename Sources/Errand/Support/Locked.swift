#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value behind a lock: the only lock in Errand.
///
/// `Synchronization.Mutex` would do, but Thread Sanitizer does not see its ordering and reports races where there
/// are none; `os_unfair_lock` and `pthread_mutex_t` it understands. The lock is not recursive. Never call user
/// code inside ``withLock(_:)``.
package final class Locked<Value>: @unchecked Sendable {
  // Guard of `value`: `lock`, always through `withLock`.
  private var value: Value
  #if canImport(Darwin)
  private let lock = UnsafeMutablePointer<os_unfair_lock_s>.allocate(capacity: 1)
  #else
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  #endif

  package init(_ value: consuming sending Value) {
    self.value = value
    #if canImport(Darwin)
    lock.initialize(to: os_unfair_lock_s())
    #else
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
    #endif
  }

  deinit {
    #if !canImport(Darwin)
    pthread_mutex_destroy(lock)
    #endif
    lock.deinitialize(count: 1)
    lock.deallocate()
  }

  package func withLock<Result>(
    _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    #if canImport(Darwin)
    os_unfair_lock_lock(lock)
    defer { os_unfair_lock_unlock(lock) }
    #else
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    #endif
    return try body(&value)
  }
}

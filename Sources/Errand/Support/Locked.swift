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
/// code inside ``withLock(_:)``. Copies share the value and its lock, which are one allocation.
package struct Locked<Value>: @unchecked Sendable {
  #if canImport(Darwin)
  fileprivate typealias Lock = os_unfair_lock_s
  #else
  fileprivate typealias Lock = pthread_mutex_t
  #endif

  /// The lock, which may not move, and behind it the value: as the header a value without size, `Void` for one, has
  /// the address of the object, and Thread Sanitizer takes its changes for changes of what all threads read there.
  private final class Storage: ManagedBuffer<Lock, Value> {
    deinit {
      withUnsafeMutablePointers { lock, value in
        value.deinitialize(count: 1)
        #if !canImport(Darwin)
        pthread_mutex_destroy(lock)
        #endif
      }
    }
  }

  // Guard of its element: its header, always through `withLock`.
  private let storage: ManagedBuffer<Lock, Value>

  package init(_ value: sending Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in Lock() }
    storage.withUnsafeMutablePointers { lock, element in
      element.initialize(to: value)
      #if !canImport(Darwin)
      pthread_mutex_init(lock, nil)
      #endif
    }
  }

  package func withLock<Result>(
    _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    // The storage outlives the call; the lock makes sure that no other thread has its value meanwhile.
    nonisolated(unsafe) let (lock, value) = storage.withUnsafeMutablePointers { ($0, $1) }
    #if canImport(Darwin)
    os_unfair_lock_lock(lock)
    defer { os_unfair_lock_unlock(lock) }
    #else
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    #endif
    return try body(&value.pointee)
  }
}

import Foundation

/// A value behind a lock: the only lock in Errand.
///
/// `Synchronization.Mutex` would do, but Thread Sanitizer does not see its ordering and reports races where there
/// are none; `os_unfair_lock` and `pthread_mutex_t` it understands. The lock is not recursive. Never call user
/// code inside ``withLock(_:)``. Copies share the value and its lock, which are one allocation.
package struct Locked<Value>: @unchecked Sendable {
  /// The lock, which may not move, and behind it the value: as the header a value without size, `Void` for one, has
  /// the address of the object, and Thread Sanitizer takes its changes for changes of what all threads read there.
  private final class Storage: ManagedBuffer<SystemLock, Value> {
    deinit {
      withUnsafeMutablePointers { lock, value in
        value.deinitialize(count: 1)
        lock.dispose()
      }
    }
  }

  // Guard of its element: its header, always through `withLock`.
  private let storage: ManagedBuffer<SystemLock, Value>

  package init(_ value: sending Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in SystemLock() }
    storage.withUnsafeMutablePointers { lock, element in
      element.initialize(to: value)
      lock.prepare()
    }
  }

  package func withLock<Result>(
    _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    // The storage outlives the call; the lock makes sure that no other thread has its value meanwhile.
    nonisolated(unsafe) let (lock, value) = storage.withUnsafeMutablePointers { ($0, $1) }
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

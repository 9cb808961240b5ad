import Foundation

/// A value protected by a lock against simultaneous access by several threads.
///
/// `Synchronization.Mutex` is no alternative, because Thread Sanitizer does not recognize its ordering and
/// reports false races. The lock is not recursive. Never call user code inside ``withLock(_:)``. Copies share
/// the value and the lock.
package struct Locked<Value>: @unchecked Sendable {
  /// The storage: the lock is the header, and the value is the element.
  ///
  /// A class stores the lock, because a lock must not move. With the value as the header, an empty value
  /// would have the address of the object. Thread Sanitizer would then report false races.
  private final class Storage: ManagedBuffer<SystemLock, Value> {
    deinit {
      withUnsafeMutablePointers { lock, value in
        value.deinitialize(count: 1)
        lock.dispose()
      }
    }
  }

  // Guarded by the lock in the header: between `init` and `deinit`, all access to the element goes
  // through `withLock`.
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
    // Safe because the lock is held during the use of the value.
    nonisolated(unsafe) let (lock, value) = storage.withUnsafeMutablePointers { ($0, $1) }
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

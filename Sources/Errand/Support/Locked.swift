import Foundation

/// A value protected by a lock.
///
/// Copies share the value and the lock. The lock is not recursive. Never call user code inside
/// ``withLock(_:)``. Not a `Synchronization.Mutex`, because Thread Sanitizer would report false races.
package struct Locked<Value>: @unchecked Sendable {
  /// A class, because a lock must not move.
  ///
  /// The lock is the header, because Thread Sanitizer reports false races for a header of size 0.
  private final class Storage: ManagedBuffer<SystemLock, Value> {
    deinit {
      withUnsafeMutablePointers { lock, value in
        value.deinitialize(count: 1)
        lock.dispose()
      }
    }
  }

  // The value is guarded by the lock in the header.
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
    // Safe because the value is used only while the lock is held.
    nonisolated(unsafe) let (lock, value) = storage.withUnsafeMutablePointers { ($0, $1) }
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

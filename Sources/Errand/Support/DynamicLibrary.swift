import Foundation

/// An optional library of the system, never unloaded.
package struct DynamicLibrary: Sendable {
  // Sendable: the handle is a constant, and `dlsym` is thread-safe.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  package init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// Returns `nil` if the library lacks the function; `type` must match the declaration in C.
  package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(handle, name).map { unsafeBitCast($0, to: type) }
  }
}

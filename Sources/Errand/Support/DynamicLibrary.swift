import Foundation

/// An optional library of the system.
///
/// A loaded library is never unloaded.
package struct DynamicLibrary: Sendable {
  // Sendable: the handle never changes, and only the thread-safe `dlsym` uses the handle.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  package init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// Returns a function of the library; `type` must match the declaration in C.
  package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(handle, name).map { unsafeBitCast($0, to: type) }
  }
}

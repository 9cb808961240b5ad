import Foundation

/// A dynamic library that is loaded at run time and never unloaded.
package struct DynamicLibrary: Sendable {
  // Sendable: the handle is a constant, and `dlsym` is thread-safe.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  package init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// Returns a function of the library, or `nil` if missing.
  ///
  /// `type` must match the declaration in C.
  package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(handle, name).map { unsafeBitCast($0, to: type) }
  }
}

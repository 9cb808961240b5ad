import Foundation

/// A library of the system that may be missing; once loaded it stays.
package struct DynamicLibrary: Sendable {
  // Guard: never changed, and nothing but `dlsym` is done with it.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  package init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// The function of that name, whose type the caller knows; `nil` when there is none.
  package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(handle, name).map { unsafeBitCast($0, to: type) }
  }
}

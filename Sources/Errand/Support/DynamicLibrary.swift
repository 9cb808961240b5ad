#if os(Linux)
import Foundation

/// A library of the system that may be missing; once loaded it stays.
struct DynamicLibrary {
  private let handle: UnsafeMutableRawPointer

  init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// The function of that name, whose type the caller knows; `nil` when there is none.
  func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(handle, name).map { unsafeBitCast($0, to: type) }
  }
}
#endif

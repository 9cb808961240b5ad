#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What watches this process, and takes its memory.
enum Sanitizer {
  /// The guards of the address sanitizer around each variable make a frame several times as large.
  static let isAddress = dlsym(nil, "__asan_init") != nil
  /// Takes many times the memory of what it watches.
  static let isThread = dlsym(nil, "__tsan_init") != nil
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The sanitizers of this process, which need memory.
enum Sanitizer {
  /// True with the address sanitizer, whose guards around variables make stack frames several times as large.
  static let isAddress = dlsym(nil, "__asan_init") != nil
  /// True with the thread sanitizer, which uses many times the memory of the program.
  static let isThread = dlsym(nil, "__tsan_init") != nil
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

enum Sanitizer {
  /// Guards around variables make stack frames several times as large.
  static let isAddress = dlsym(nil, "__asan_init") != nil
  /// Uses many times the memory of the program.
  static let isThread = dlsym(nil, "__tsan_init") != nil
  static var isOn: Bool { isAddress || isThread }
}

#if os(Linux)
import Foundation

/// Which URLs go past the proxies that the environment names.
enum CurlProxies {
  /// Whether a URL names this machine: a proxy elsewhere would look for it on its own.
  static func passesBy(_ url: URL) -> Bool {
    guard var host = url.host()?.lowercased() else { return false }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
    return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0[15] == 1 }
  }
}
#endif

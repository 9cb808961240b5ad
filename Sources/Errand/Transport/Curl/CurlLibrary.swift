#if os(Linux)
import CCurl
import Foundation

/// libcurl's own state, made once for the process.
enum CurlLibrary {
  /// Whether it could be made.
  ///
  /// Before libcurl 7.84 making it is not thread-safe; a static is made once.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Whether the environment names a proxy; read once, and by libcurl with each request if so.
  static let usesProxies = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
    ProcessInfo.processInfo.environment[$0]?.isEmpty == false
  }
  /// Whether a used handle has nothing left of its last response: from libcurl 8.2.
  static let forgetsHeaders = version >= 0x08_02_00
  /// Whether it can be made to ask before it sends a request: from libcurl 7.80.
  ///
  /// Where it cannot, a request that is not idempotent gets a connection of its own.
  static let tellsSendings = version >= 0x07_50_00 && LIBCURL_VERSION_NUM >= 0x07_50_00
  private static let version = curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num } ?? 0
}
#endif

#if os(Linux)
import CCurl

/// libcurl's own state, made once for the process.
enum CurlLibrary {
  /// Whether it could be made.
  ///
  /// Before libcurl 7.84 making it is not thread-safe; a static is made once.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
#endif

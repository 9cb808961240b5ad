#if os(Linux)
import CCurl

/// libcurl's own state, made once for the process.
enum CurlLibrary {
  /// Whether it could be made.
  ///
  /// Before libcurl 7.84 making it is not thread-safe; a static is made once.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Whether a handle that is reset has nothing left of its last response: from libcurl 8.2.
  static let forgetsHeaders =
    curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num >= 0x08_02_00 } ?? false
}
#endif

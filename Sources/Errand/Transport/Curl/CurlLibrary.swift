#if os(Linux)
import CCurl
import Foundation

/// The libcurl of the system, loaded when it is first asked for: no build needs it.
struct CurlLibrary: Sendable {
  /// What is looked for, in this order: the library of every distribution, and Debian's over GnuTLS.
  static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

  static let system = CurlLibrary(names)

  /// Why nothing can be sent; `nil` when it is ready.
  let failure: TransportError?

  /// Loads the first of the libraries that can be; at most one value of a process has names of libraries that are there.
  init(_ names: [String]) {
    var reasons: [String] = []
    for name in names {
      guard let reason = ccurl_load(name) else {
        failure = Self.start()
        return
      }
      let text = String(cString: reason)
      reasons.append(text.contains(name) ? text : "\(name): \(text)")
    }
    failure = TransportError(
      .unsupported,
      "libcurl could not be loaded (\(reasons.joined(separator: "; "))); install libcurl4 (Debian, Ubuntu) or"
        + " libcurl (Fedora, Alpine)")
  }

  /// What it says of itself; `nil` where it is missing.
  var info: UnsafeMutablePointer<ccurl_version_info_data>? {
    failure == nil ? ccurl_version_info(CCURLVERSION_EIGHTH) : nil
  }

  /// Whether it was built with a feature, one of `CURL_VERSION_…`.
  func speaks(_ feature: Int32) -> Bool { info.map { $0.pointee.features & feature != 0 } ?? false }

  /// Its library of TLS, such as `OpenSSL/3.0.19`.
  var tlsName: String { info?.pointee.ssl_version.map { String(cString: $0) } ?? "no TLS" }

  /// Before libcurl 7.84 this is not thread-safe; a static is made once.
  private static func start() -> TransportError? {
    if let info = ccurl_version_info(CCURLVERSION_FIRST), let refusal = refusal(of: info.pointee) {
      return refusal
    }
    let code = ccurl_global_init(Int(CCURL_GLOBAL_DEFAULT))
    guard code == CCURLE_OK else {
      return TransportError(.transport, "libcurl could not be started", code: Int(code.rawValue))
    }
    // An older libcurl refuses, and is asked for no HTTP/2.
    _ = ccurl_trace_http2()
    return nil
  }

  /// Why a libcurl cannot be used; `nil` when it can be.
  static func refusal(of info: ccurl_version_info_data) -> TransportError? {
    guard info.version_num < 0x07_4C_00 else { return nil }
    return TransportError(
      .unsupported,
      "libcurl \(info.version.map { String(cString: $0) } ?? "") is too old; Errand needs 7.76 or newer")
  }

  /// Whether a used handle has nothing left of its last response: from libcurl 8.2.
  static let forgetsHeaders = version >= 0x08_02_00
  /// Whether it can be made to ask before it sends a request: from libcurl 7.80.
  ///
  /// Where it cannot, a request that is not idempotent gets a connection of its own.
  static let tellsSendings = version >= 0x07_50_00
  /// True if requests over TLS may use HTTP/2, because libcurl has it and reports its endings.
  static let speaksHTTP2 = system.info.map { speaksHTTP2($0.pointee) } ?? false

  /// Returns true for a libcurl with HTTP/2 and TLS of version 8.3 or newer.
  ///
  /// An older libcurl reports success for a body without a length that a reset stream or a broken connection cuts, and does not tell
  /// whether the server refused a stream.
  static func speaksHTTP2(_ info: ccurl_version_info_data) -> Bool {
    let needed = CCURL_VERSION_HTTP2 | CCURL_VERSION_SSL
    return info.version_num >= 0x08_03_00 && info.features & needed == needed
  }

  private static let version = system.info.map { $0.pointee.version_num } ?? 0
}
#endif

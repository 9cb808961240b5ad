#if os(Linux)
import CCurl
import Foundation

/// libcurl, loaded from the system at first use, or linked by the trait `LinkedCurl`.
struct CurlLibrary: Sendable {
  /// The file names to try, in this order.
  ///
  /// The second file is Debian's libcurl with GnuTLS.
  static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

  static let system = CurlLibrary(names)

  let failure: TransportError?

  /// Loads the first available library.
  ///
  /// A process must not load a second library, because the functions are stored in a global table.
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

  var info: UnsafeMutablePointer<ccurl_version_info_data>? {
    failure == nil ? ccurl_version_info(CCURLVERSION_EIGHTH) : nil
  }

  func speaks(_ feature: Int32) -> Bool { info.map { $0.pointee.features & feature != 0 } ?? false }

  var tlsName: String { info?.pointee.ssl_version.map { String(cString: $0) } ?? "no TLS" }

  /// Must not run on two threads at once: before libcurl 7.84, `curl_global_init` is not thread-safe.
  private static func start() -> TransportError? {
    if let info = ccurl_version_info(CCURLVERSION_FIRST), let refusal = refusal(of: info.pointee) {
      return refusal
    }
    let code = ccurl_global_init(Int(CCURL_GLOBAL_DEFAULT))
    guard code == CCURLE_OK else {
      return TransportError(.transport, "libcurl could not be started", code: Int(code.rawValue))
    }
    // Turns the HTTP/2 trace on. libcurl before 8.3 has no trace, and is not used with HTTP/2.
    _ = ccurl_trace_http2()
    return nil
  }

  static func refusal(of info: ccurl_version_info_data) -> TransportError? {
    guard info.version_num < 0x07_4C_00 else { return nil }
    return TransportError(
      .unsupported,
      "libcurl \(info.version.map { String(cString: $0) } ?? "") is too old; Errand needs 7.76 or newer")
  }

  /// True if a reused handle forgets the headers of the last response, as with libcurl 8.2 and newer.
  static let forgetsHeaders = version >= 0x08_02_00
  /// True if libcurl calls back before each transmission of a request; see ``CurlSending``.
  static let asksBeforeSending = version >= 0x07_50_00
  static let speaksHTTP2 = system.info.map { speaksHTTP2($0.pointee) } ?? false

  /// Returns true if HTTP/2 can be used.
  ///
  /// libcurl before 8.3 may report neither a refused stream nor a truncated body without a length.
  static func speaksHTTP2(_ info: ccurl_version_info_data) -> Bool {
    let needed = CCURL_VERSION_HTTP2 | CCURL_VERSION_SSL
    return info.version_num >= 0x08_03_00 && info.features & needed == needed
  }

  private static let version = system.info.map { $0.pointee.version_num } ?? 0
}
#endif

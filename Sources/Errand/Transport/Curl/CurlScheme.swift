#if os(Linux)
import Foundation

/// What libcurl is asked to speak.
enum CurlScheme {
  case http, https

  /// The scheme of a URL, in either case; `nil` for any other.
  init?(_ url: URL) {
    var text = url.absoluteString
    let (isHTTP, isHTTPS) = text.withUTF8 {
      (Self.begins($0, with: "http:"), Self.begins($0, with: "https:"))
    }
    guard isHTTP || isHTTPS else { return nil }
    self = isHTTP ? .http : .https
  }

  private static func begins(_ bytes: UnsafeBufferPointer<UInt8>, with start: String) -> Bool {
    bytes.count >= start.utf8.count && zip(bytes, start.utf8).allSatisfy { ASCII.lowercased($0) == $1 }
  }
}
#endif

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
    guard bytes.count >= start.utf8.count else { return false }
    var place = 0
    for byte in start.utf8 {
      if ASCII.lowercased(bytes[place]) != byte { return false }
      place += 1
    }
    return true
  }
}
#endif

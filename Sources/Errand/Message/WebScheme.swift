package import Foundation

package enum WebScheme {
  case http, https

  /// Reads the scheme, ignoring case; returns `nil` for other schemes.
  package init?(_ url: URL) { self.init(text: url.absoluteString) }

  package init?(text url: String) {
    var text = url
    guard let scheme = text.withUTF8(Self.scheme) else { return nil }
    self = scheme
  }

  package static func peer(of url: URL) -> String {
    let host = url.host() ?? ""
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  private static func scheme(of bytes: UnsafeBufferPointer<UInt8>) -> WebScheme? {
    guard bytes.count > 6, bytes[0] | 0x20 == 0x68, bytes[1] | 0x20 == 0x74, bytes[2] | 0x20 == 0x74,
      bytes[3] | 0x20 == 0x70
    else { return nil }
    if bytes[4] == 0x3A { return .http }
    return bytes[4] | 0x20 == 0x73 && bytes[5] == 0x3A ? .https : nil
  }
}

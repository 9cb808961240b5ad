#if os(Linux)
import CCurl
import Foundation

struct SocketAddress {
  // IPv4 and IPv6 addresses have the port at the same offset.
  private var bytes = sockaddr_in6()

  init(_ address: UnsafePointer<ccurl_sockaddr>) {
    let length = min(Int(address.pointee.addrlen), MemoryLayout<sockaddr_in6>.size)
    guard let offset = MemoryLayout<ccurl_sockaddr>.offset(of: \.addr) else { return }
    withUnsafeMutableBytes(of: &bytes) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + offset, count: length))
    }
  }

  init?(of socket: Int32) {
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &bytes) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    if code != 0 { return nil }
  }

  var port: Int32 { Int32(UInt16(bigEndian: bytes.sin6_port)) }

  /// The address and the port, in the form of ``TransportSummary/Metrics/remoteAddress``.
  var textWithPort: String {
    let text = text
    return text.utf8.contains(0x3A) ? "[\(text)]:\(port)" : "\(text):\(port)"
  }

  var text: String {
    let family = Int32(bytes.sin6_family)
    let place =
      family == AF_INET
      ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
    return withUnsafeBytes(of: bytes) { bytes in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
        guard let place, let start = bytes.baseAddress, let buffer = text.baseAddress,
          inet_ntop(family, start + place, buffer, socklen_t(INET6_ADDRSTRLEN)) != nil
        else { return "" }
        return String(cString: buffer)
      }
    }
  }
}
#endif

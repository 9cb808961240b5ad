#if os(Linux)
import CCurl
import Foundation

/// The sockets libcurl opened, found again by their ends: libcurl does not tell which one it is about to use.
struct CurlSockets {
  /// What libcurl tells about a connection.
  struct Ends: Hashable {
    var peer: String
    var peerPort: Int32
    var localPort: Int32
  }

  /// Opened and not yet looked for.
  private var fresh: Set<Int32> = []
  private var known: [Ends: Int32] = [:]

  mutating func add(_ socket: Int32) { fresh.insert(socket) }

  /// The socket with these ends; `nil` when none was noted.
  ///
  /// Libcurl closes sockets without a word, so what is found is looked at again.
  mutating func find(_ ends: Ends) -> Int32? {
    if let socket = known[ends], Self.has(socket, ends) { return socket }
    known[ends] = nil
    guard let socket = fresh.first(where: { Self.has($0, ends) }) else { return nil }
    fresh.remove(socket)
    if known.count >= 1024 { known = known.filter { Self.has($0.value, $0.key) } }
    known[ends] = socket
    return socket
  }

  /// Whether the socket has these ends, or had them until the other side reset the connection.
  private static func has(_ socket: Int32, _ ends: Ends) -> Bool {
    guard address(of: socket, getsockname)?.port == ends.localPort else { return false }
    guard let peer = address(of: socket, getpeername) else { return errno == ENOTCONN }
    return peer.text == ends.peer && peer.port == ends.peerPort
  }

  private static func address(
    of socket: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> (text: String, port: Int32)? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(socket, $0, &length) }
    }
    guard code == 0, let text = text(of: &address) else { return nil }
    // The port is at the same place in both kinds of address.
    return (text, Int32(UInt16(bigEndian: address.sin6_port)))
  }

  private static func text(of address: inout sockaddr_in6) -> String? {
    let family = Int32(address.sin6_family)
    guard family == AF_INET || family == AF_INET6 else { return nil }
    return withUnsafeBytes(of: &address) { bytes in
      let place = family == AF_INET ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) : 8
      guard let place, let start = bytes.baseAddress else { return nil }
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
        inet_ntop(family, start + place, text.baseAddress, socklen_t(INET6_ADDRSTRLEN)).map {
          String(cString: $0)
        }
      }
    }
  }
}
#endif

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

enum LoopbackSocket {
  static func listening() -> Int32 {
    let descriptor = bound()
    precondition(listen(descriptor, 1024) == 0, "no loopback port")
    return descriptor
  }

  /// Returns a Unix domain socket that listens at a path.
  static func listening(at path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, streamType, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(code == 0 && listen(descriptor, 1024) == 0, "no socket at \(path)")
    return descriptor
  }

  /// Returns the IPv4 address of the peer, in host byte order.
  static func peerAddress(of descriptor: Int32) -> UInt32 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withSocketAddress(&address) { pointer, _ in getpeername(descriptor, pointer, &length) }
    return UInt32(bigEndian: address.sin_addr.s_addr)
  }

  private static func bound() -> Int32 {
    let descriptor = socket(AF_INET, streamType, 0)
    var address = loopback(port: 0)
    let code = withSocketAddress(&address) { bind(descriptor, $0, $1) }
    precondition(code == 0, "no loopback port")
    return descriptor
  }

  static func port(of descriptor: Int32) -> UInt16 {
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withSocketAddress(&address) { pointer, _ in getsockname(descriptor, pointer, &length) }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The process keeps the socket, so no server of another test gets the port.
  static func refusingPort() -> UInt16 { port(of: bound()) }

  /// Returns `false` if the peer has closed the connection.
  static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      #if canImport(Darwin)
      let count = Darwin.send(descriptor, part.baseAddress, part.count, 0)
      #elseif canImport(Glibc)
      let count = Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
      #else
      let count = Musl.send(descriptor, part.baseAddress, part.count, MSG_NOSIGNAL)
      #endif
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Up to 65,536 bytes; empty if the peer has closed the connection.
  static func receive(from descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
  }

  static func shutDown(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
    _ = Darwin.close(descriptor)
    #elseif canImport(Glibc)
    _ = Glibc.close(descriptor)
    #else
    _ = Musl.close(descriptor)
    #endif
  }

  static func reset(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  /// Counts the connected sockets of this process; a closed socket does not count.
  static func connectionCount(to port: UInt16) -> Int { sockets(to: port).count }

  /// Returns the sockets of this process that are connected to a port of 127.0.0.1.
  static func sockets(to port: UInt16) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { descriptor in
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withSocketAddress(&address) { pointer, _ in getpeername(descriptor, pointer, &length) }
      return code == 0 && address.sin_family == sa_family_t(AF_INET)
        && UInt16(bigEndian: address.sin_port) == port
    }
  }

  /// Without Nagle's algorithm.
  static func setPrompt(_ descriptor: Int32) {
    var option: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), Int32(TCP_NODELAY), &option, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Makes the kernel hold back incomplete packets, or ends the hold.
  static func setHeld(_ descriptor: Int32, _ isHeld: Bool) {
    var option: Int32 = isHeld ? 1 : 0
    #if canImport(Darwin)
    let name = TCP_NOPUSH
    #else
    let name = Int32(TCP_CORK)
    #endif
    setsockopt(descriptor, Int32(IPPROTO_TCP), name, &option, socklen_t(MemoryLayout<Int32>.size))
  }

  #if canImport(Glibc)
  private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
  private static let streamType = SOCK_STREAM
  #endif

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  private static func withSocketAddress(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

import Foundation

import Errand

struct Listener: Sendable {
  let descriptor: Int32
  let port: Int

  private static let problem = "the mock server could not listen"

  init(on loopback: MockServer.Loopback, port wanted: Int = 0, hasSmallReceiveBuffer: Bool = false) throws {
    guard let number = UInt16(exactly: wanted) else {
      throw TransportError(.invalidRequest, "the port \(wanted) of the mock server is not in 0...65535")
    }
    let family = loopback == .ipv4 ? AF_INET : AF_INET6
    descriptor = socket(family, Socket.kind, 0)
    guard descriptor >= 0 else { throw TransportError.ofSystem(Self.problem) }
    Socket.prepare(descriptor)
    if hasSmallReceiveBuffer { Socket.shrinkReceiveBuffer(descriptor) }
    // Connections of an earlier server on the port may still be in TIME_WAIT.
    if number != 0 { Socket.reuseAddress(descriptor) }
    let isBound =
      loopback == .ipv4 ? Self.bindIPv4(descriptor, to: number) : Self.bindIPv6(descriptor, to: number)
    guard isBound, listen(descriptor, 1024) == 0 else {
      let failure = TransportError.ofSystem(number == 0 ? Self.problem : "\(Self.problem) on port \(number)")
      Socket.dispose(descriptor)
      throw failure
    }
    port = Self.port(of: descriptor)
  }

  enum AcceptFailure: Error {
    case noneWaiting
    case outOfResources
  }

  func nextConnection() -> Result<Int32, AcceptFailure> {
    let connection = accept(descriptor, nil, nil)
    guard connection < 0 else {
      Socket.prepare(connection)
      return .success(connection)
    }
    return .failure([EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .outOfResources : .noneWaiting)
  }

  private static func bindIPv4(_ socket: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    return bound(socket, to: &address)
  }

  private static func bindIPv6(_ socket: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    inet_pton(AF_INET6, "::1", &address.sin6_addr)
    return bound(socket, to: &address)
  }

  private static func bound<Address>(_ socket: Int32, to address: inout Address) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }

  private static func port(of socket: Int32) -> Int {
    // Works for IPv4 too, because `sockaddr_in` has the port at the same offset.
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    return Int(UInt16(bigEndian: address.sin6_port))
  }
}

extension TransportError {
  static func ofSystem(_ problem: String) -> TransportError {
    let code = errno
    return TransportError(
      .connectionFailed, "\(problem): \(String(cString: strerror(code)))", code: Int(code))
  }
}

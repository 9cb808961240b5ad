import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A blocking socket to a loopback port that writes and reads raw bytes.
///
/// A read ends after ten seconds without further bytes.
final class RawClient {
  struct Failure: Error {
    let call: String
    let code = errno
  }

  private let descriptor: Int32
  private var pending: [UInt8] = []

  init(port: Int) throws {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // All properties are initialized, so `deinit` closes the descriptor. A second close could close a new
    // descriptor of another thread.
    guard result == 0 else { throw Failure(call: "connect") }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    #if canImport(Darwin)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  deinit { _ = close(descriptor) }

  /// Writes all bytes.
  ///
  /// Stops without an error if the server has closed the connection.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes all bytes.
  ///
  /// Stops without an error if the server has closed the connection.
  func write(_ bytes: [UInt8]) {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes the sending direction of the connection.
  ///
  /// Reading still works.
  func endOutput() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads until the server closes the connection.
  func readToEnd() -> String {
    while receive() {}
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self)
  }

  /// Reads up to and including `end`, or all received bytes if the server closes the connection earlier.
  func read(through end: String) -> String {
    let needle = Array(end.utf8)
    var searched = 0
    while true {
      if let place = place(of: needle, from: searched) {
        defer { pending.removeFirst(place + needle.count) }
        return String(decoding: pending[..<(place + needle.count)], as: UTF8.self)
      }
      searched = max(pending.count - needle.count, 0)
      guard receive() else { return readToEnd() }
    }
  }

  /// Reads `count` bytes, or fewer if the server closes the connection earlier.
  func read(count: Int) -> String {
    while pending.count < count, receive() {}
    let end = min(count, pending.count)
    defer { pending.removeFirst(end) }
    return String(decoding: pending[..<end], as: UTF8.self)
  }

  /// Reads the next head, and returns the lines.
  func head() -> [String] {
    read(through: "\r\n\r\n").components(separatedBy: "\r\n").filter { !$0.isEmpty }
  }

  private func place(of needle: [UInt8], from start: Int) -> Int? {
    guard pending.count >= needle.count else { return nil }
    return (start...(pending.count - needle.count)).first { pending[$0..<($0 + needle.count)] == needle[...] }
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    pending.append(contentsOf: buffer[..<count])
    return true
  }
}

extension RawClient {
  /// Sends a request on a new connection, and reads until the server closes the connection.
  static func answer(port: Int, to request: String) throws -> String {
    let client = try RawClient(port: port)
    client.write(request)
    return client.readToEnd()
  }

  /// Sends a GET with `Connection: close`, and reads the whole response.
  static func get(_ target: String, port: Int) throws -> String {
    try answer(port: port, to: "GET \(target) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
  }
}

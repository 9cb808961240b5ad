#if os(Linux)
import Errand
import Foundation

/// Tunnels to this machine for any host, unless the proxy refuses the request.
final class TunnelProxy: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let heads: Locked<[[String]]>

  /// `target` is the local port of all tunnels (`nil`: the requested port).
  ///
  /// `refusal` returns a response, or `nil` for a tunnel.
  init(to target: UInt16? = nil, refusing refusal: @escaping @Sendable ([String]) -> String? = { _ in nil }) {
    descriptor = LoopbackSocket.listening()
    port = UInt16(LoopbackSocket.port(of: descriptor))
    let heads = Locked<[[String]]>([])
    self.heads = heads
    Thread.detachNewThread { [descriptor] in
      while case let client = accept(descriptor, nil, nil), client >= 0 {
        Thread.detachNewThread {
          Self.serve(client, target, refusal) { head in heads.withLock { $0.append(head) } }
          LoopbackSocket.close(client)
        }
      }
      LoopbackSocket.close(descriptor)
    }
  }

  deinit { LoopbackSocket.shutDown(descriptor) }

  var requests: [[String]] { heads.withLock { $0 } }

  func url(_ scheme: String = "http") -> String { "\(scheme)://127.0.0.1:\(port)" }

  private static func serve(
    _ client: Int32, _ target: UInt16?, _ refusal: ([String]) -> String?, _ note: ([String]) -> Void
  ) {
    while let head = readHead(client) {
      note(head)
      if let answer = refusal(head) {
        guard send(answer, to: client) else { return }
        continue
      }
      let asked = head[0].split(separator: " ").dropFirst().first?.split(separator: ":").last
      guard let port = target ?? asked.flatMap({ UInt16($0) }), let server = connect(to: port) else {
        _ = send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", to: client)
        return
      }
      guard send("HTTP/1.1 200 Tunnel\r\nVia: 1.1 tests\r\n\r\n", to: client) else { return }
      relay(client, server)
      LoopbackSocket.close(server)
      return
    }
  }

  /// Reads byte by byte, so no byte after the head is consumed.
  private static func readHead(_ client: Int32) -> [String]? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.ends(with: Array("\r\n\r\n".utf8)) {
      guard recv(client, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
  }

  private static func send(_ text: String, to socket: Int32) -> Bool {
    Array(text.utf8).withUnsafeBytes { LoopbackSocket.send($0, to: socket) }
  }

  private static func connect(to port: UInt16) -> Int32? {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code == 0 { return server }
    LoopbackSocket.close(server)
    return nil
  }

  private static func relay(_ client: Int32, _ server: Int32) {
    var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&sockets, 2, -1) > 0 {
      for (index, other) in [(0, server), (1, client)] where sockets[index].revents != 0 {
        let bytes = LoopbackSocket.receive(from: sockets[index].fd)
        guard !bytes.isEmpty, bytes.withUnsafeBytes({ LoopbackSocket.send($0, to: other) }) else { return }
      }
    }
  }
}

extension [UInt8] {
  fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
#endif

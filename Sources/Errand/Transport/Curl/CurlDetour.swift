#if os(Linux)
import CCurl
import Foundation

/// A ``ConnectionSettings/Route`` as a value for libcurl's options.
enum CurlDetour: Sendable {
  /// A line of `CURLOPT_RESOLVE`.
  case addresses(line: String)
  /// A line of `CURLOPT_CONNECT_TO`, and the destination for error messages.
  case destination(host: String, line: String, shown: String)
  case unixSocket(path: String)

  init(host: String, port: Int?) {
    let host = Self.bracketed(host)
    let port = port.map(String.init) ?? ""
    // The first two fields are empty, which matches any host and any port.
    self = .destination(
      host: host, line: "::\(host):\(port)", shown: port.isEmpty ? host : "\(host):\(port)")
  }

  init(_ addresses: [String], for host: Substring, port: Int) {
    // The plus sign lets the entry expire. Each transfer sets the entry again.
    self = .addresses(line: "+\(host):\(port):\(addresses.map(Self.bracketed).joined(separator: ","))")
  }

  var isUnixSocket: Bool { if case .unixSocket = self { true } else { false } }

  var isDestination: Bool { if case .destination = self { true } else { false } }

  var clause: String {
    switch self {
    case .addresses: ""
    case .destination(_, _, let shown): " at \(shown)"
    case .unixSocket(let path): " at \(path)"
    }
  }

  private static func bracketed(_ host: String) -> String {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    return bare.utf8.contains(UInt8(ascii: ":")) ? "[\(bare)]" : bare
  }
}

final class CurlLine {
  let first: UnsafeMutablePointer<ccurl_slist>

  init(_ text: String) {
    first = .allocate(capacity: 1)
    first.initialize(to: ccurl_slist(data: strdup(text), next: nil))
  }

  deinit {
    free(first.pointee.data)
    first.deallocate()
  }
}

extension CurlHandle {
  /// Sets the options for the next transfer.
  ///
  /// The returned list must live until the transfer ends.
  func setDetour(_ detour: CurlDetour) -> CurlLine? {
    mark()
    switch detour {
    case .addresses(let text):
      let line = CurlLine(text)
      set(CCURLOPT_RESOLVE, to: line.first)
      return line
    case .destination(_, let text, _):
      let line = CurlLine(text)
      set(CCURLOPT_CONNECT_TO, to: line.first)
      return line
    case .unixSocket(let path):
      set(CCURLOPT_UNIX_SOCKET_PATH, to: path)
      // Connections over Unix sockets have no ports, so Errand cannot tell them apart. Each request opens a
      // connection.
      set(CCURLOPT_FRESH_CONNECT, to: true)
      set(CCURLOPT_FORBID_REUSE, to: true)
      if isSecure { set(CCURLOPT_HTTP_VERSION, to: Int(CCURL_HTTP_VERSION_1_1)) }
      return nil
    }
  }
}
#endif

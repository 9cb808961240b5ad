import Foundation

/// Tests without their server are skipped.
enum Server {
  static let httpbin = url("ERRAND_HTTPBIN")
  static let nginx = url("ERRAND_NGINX")
  static let tus = url("ERRAND_TUS")

  /// httpbin over TLS, with a certificate of the test authority.
  static let tls = url("ERRAND_TLS")
  /// A TLS server for `named.example`, HTTP/2 without TLS, and the path of a Unix socket.
  static let namedTLS = url("ERRAND_TLS_NAMED")
  static let clearHTTP2 = url("ERRAND_CLEAR_HTTP2")
  static let unixSocket = ProcessInfo.processInfo.environment["ERRAND_SOCKET"]
  /// The path of a Unix socket of httpbin, and the URL of a name server over HTTPS for `served.example`.
  static let httpbinSocket = ProcessInfo.processInfo.environment["ERRAND_SOCKET_HTTPBIN"]
  static let nameServer = url("ERRAND_NAMES")
  /// A TLS server that ends each connection with the twentieth request (GOAWAY).
  ///
  /// `oldTLS` is a TLS server without HTTP/2.
  static let shortTLS = url("ERRAND_TLS_SHORT")
  static let oldTLS = url("ERRAND_TLS_OLD")
  static let authority = ProcessInfo.processInfo.environment["ERRAND_AUTHORITY"].map {
    URL(fileURLWithPath: $0)
  }
  /// A TLS server that requires a client certificate.
  ///
  /// The folder `client` holds `client.pem` with `client.key`, and `client.p12`.
  static let mutualTLS = url("ERRAND_TLS_MUTUAL")
  static let client = ProcessInfo.processInfo.environment["ERRAND_CLIENT"]
  /// mitmproxy with the user `ada` and the password `s3cret`, and the authority of the proxy's certificates.
  static let proxy = ProcessInfo.processInfo.environment["ERRAND_PROXY"]
  static let proxyAuthority = ProcessInfo.processInfo.environment["ERRAND_PROXY_AUTHORITY"].map {
    URL(fileURLWithPath: $0)
  }
  /// SOCKS 5 proxies: open, and with the user `ada` and the password `s3cret`.
  static let socks = ProcessInfo.processInfo.environment["ERRAND_SOCKS"]
  static let guardedSocks = ProcessInfo.processInfo.environment["ERRAND_SOCKS_GUARDED"]
  /// An authorization server, started with `.ci/oauth.py`.
  static let oauth = url("ERRAND_OAUTH")
  /// The number of requests in the long run against nginx.
  static let soak = nginx.flatMap { _ in ProcessInfo.processInfo.environment["ERRAND_SOAK"] }.flatMap {
    Int($0)
  }

  /// The number of bytes of the long streams.
  static let stream = ProcessInfo.processInfo.environment["ERRAND_STREAM"].flatMap { Int($0) }

  private static func url(_ name: String) -> URL? {
    ProcessInfo.processInfo.environment[name].flatMap { URL(string: $0) }
  }
}

import Foundation

/// Where the servers of the integration tests are; they are skipped without.
enum Server {
  static let httpbin = url("ERRAND_HTTPBIN")
  static let nginx = url("ERRAND_NGINX")
  static let tus = url("ERRAND_TUS")

  /// httpbin over TLS, by a certificate of the authority.
  static let tls = url("ERRAND_TLS")
  /// TLS whose connections end with every twentieth request (GOAWAY), and TLS without HTTP/2.
  static let shortTLS = url("ERRAND_TLS_SHORT")
  static let oldTLS = url("ERRAND_TLS_OLD")
  static let authority = ProcessInfo.processInfo.environment["ERRAND_AUTHORITY"].map {
    URL(fileURLWithPath: $0)
  }
  /// TLS that wants the certificate of a client, which is `client.pem` with `client.key`, or `client.p12`, in a folder.
  static let mutualTLS = url("ERRAND_TLS_MUTUAL")
  static let client = ProcessInfo.processInfo.environment["ERRAND_CLIENT"]
  /// mitmproxy, which wants `ada` and `s3cret`, and the authority of the certificates that it makes.
  static let proxy = ProcessInfo.processInfo.environment["ERRAND_PROXY"]
  static let proxyAuthority = ProcessInfo.processInfo.environment["ERRAND_PROXY_AUTHORITY"].map {
    URL(fileURLWithPath: $0)
  }
  /// SOCKS 5, open, and for `ada` with `s3cret`.
  static let socks = ProcessInfo.processInfo.environment["ERRAND_SOCKS"]
  static let guardedSocks = ProcessInfo.processInfo.environment["ERRAND_SOCKS_GUARDED"]
  /// An authorization server, by `.ci/oauth.py`.
  static let oauth = url("ERRAND_OAUTH")
  /// How many requests the long run against nginx makes.
  static let soak = nginx.flatMap { _ in ProcessInfo.processInfo.environment["ERRAND_SOAK"] }.flatMap {
    Int($0)
  }

  /// How many bytes the long streams have.
  static let stream = ProcessInfo.processInfo.environment["ERRAND_STREAM"].flatMap { Int($0) }

  private static func url(_ name: String) -> URL? {
    ProcessInfo.processInfo.environment[name].flatMap { URL(string: $0) }
  }
}

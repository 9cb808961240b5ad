import Foundation

/// Where the servers of the integration tests are; they are skipped without.
enum Server {
  static let httpbin = url("ERRAND_HTTPBIN")
  static let nginx = url("ERRAND_NGINX")

  private static func url(_ name: String) -> URL? {
    ProcessInfo.processInfo.environment[name].flatMap { URL(string: $0) }
  }
}

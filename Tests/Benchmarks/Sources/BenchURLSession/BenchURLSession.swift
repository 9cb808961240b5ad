import BenchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
struct BenchURLSession {
  static func main() {
    let options = Options()
    if options.authority != nil { fail("URLSession on Linux trusts no authority but the system's") }
    guard let url = URL(string: options.url) else { fail("no URL: \(options.url)") }
    let session = URLSession(configuration: configuration(options))
    let decoder = JSONDecoder()
    switch options.mode {
    case .data:
      measure(options) { try await session.bytes(of: url).count }
    case .decoded:
      measure(options) {
        try options.decode(await session.bytes(of: url), decoder)
        return 0
      }
    case .file:
      let place = URL(filePath: options.output)
      measure(options) { try await session.download(url, to: place) }
    case .upload:
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      let file = URL(filePath: options.output)
      measure(options) { [request] in try await session.upload(request, from: file) }
    case .form: fail("there are no forms here")
    case .discard:
      measure(options) { try await Discarding.run(url, configuration(options)) }
    }
  }

  private static func configuration(_ options: Options) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = max(options.inFlight, 6)
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }
}

extension URLSession {
  fileprivate func bytes(of url: URL) async throws -> Data {
    let (body, response) = try await data(for: URLRequest(url: url))
    try expectOK((response as? HTTPURLResponse)?.statusCode ?? 0)
    return body
  }

  /// Uploads a file, and returns the number of bytes.
  fileprivate func upload(_ request: URLRequest, from file: URL) async throws -> Int {
    let (_, response) = try await upload(for: request, fromFile: file)
    try expectOK((response as? HTTPURLResponse)?.statusCode ?? 0)
    return try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }

  /// Downloads to a file, and returns the number of bytes.
  fileprivate func download(_ url: URL, to place: URL) async throws -> Int {
    let (file, response) = try await download(for: URLRequest(url: url))
    try expectOK((response as? HTTPURLResponse)?.statusCode ?? 0)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.moveItem(at: file, to: place)
    return try place.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }
}

/// Counts the bytes of a body while the body arrives.
final class Discarding: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// The delegate queue, which runs one call at a time, guards both properties.
  private var bytes = 0
  private let continuation: CheckedContinuation<Int, any Error>

  private init(_ continuation: CheckedContinuation<Int, any Error>) { self.continuation = continuation }

  static func run(_ url: URL, _ configuration: URLSessionConfiguration) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      let session = URLSession(
        configuration: configuration, delegate: Discarding(continuation), delegateQueue: nil)
      session.dataTask(with: url).resume()
      session.finishTasksAndInvalidate()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    bytes += data.count
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: bytes) }
  }
}

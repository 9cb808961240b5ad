import BenchSupport
import Errand
import Foundation

/// Takes a body chunk by chunk: to a file, or nowhere.
struct Sink: Sendable {
  private let url: URL
  private let file: FileHandle?

  init(_ options: Options) {
    guard let url = URL(string: options.url) else { fail("no URL: \(options.url)") }
    self.url = url
    file = options.mode == .file ? FileHandle.overwriting(options.output) : nil
  }

  /// Gives the number of bytes.
  func receive(from transport: CurlTransport) async throws -> Int {
    let response = try await transport.send(TransportRequest(HTTPRequest(url: url)))
    var bytes = 0
    for try await chunk in response.body {
      bytes += chunk.count
      try file?.write(contentsOf: chunk)
    }
    return bytes
  }
}

import BenchSupport
import Errand
import Foundation

/// Takes a body chunk by chunk: to a file, or nowhere.
struct Sink: Sendable {
  private struct Download: Request {
    typealias Response = Data
    let path: String
  }

  private let download: Download
  private let file: FileHandle?

  init(_ options: Options) {
    download = Download(path: options.url)
    file = options.mode == .file ? FileHandle.overwriting(options.output) : nil
  }

  /// Gives the number of bytes.
  func receive(through agent: RequestAgent) async throws -> Int {
    var bytes = 0
    for try await chunk in try await agent.stream(download).body {
      bytes += chunk.count
      try file?.write(contentsOf: chunk)
    }
    return bytes
  }
}

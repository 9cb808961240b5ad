import Foundation

/// A directory of one test, which is gone with it.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() {
    let name = "errand-\(UUID().uuidString)"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The paths of what is in it, at any depth, sorted.
  var files: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted() }
  }
}

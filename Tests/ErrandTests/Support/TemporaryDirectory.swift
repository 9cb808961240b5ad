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

  /// A file of these bytes.
  func file(_ name: String, _ bytes: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try bytes.write(to: file)
    return file
  }

  /// A file of this text.
  func file(_ name: String, _ text: String) throws -> URL { try file(name, Data(text.utf8)) }
}

/// Adds bytes at the end of a file, or takes them away there; never makes a new file of it.
enum FileChange {
  static func append(_ bytes: Data, to file: URL) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  static func cut(_ file: URL, to length: UInt64) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: length)
    try handle.close()
  }

  /// Writes other bytes over the first ones, and a time of change that is another one for sure.
  static func overwrite(_ file: URL, with bytes: Data) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: file.path)
  }
}

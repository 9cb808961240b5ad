import Foundation

/// Deleted on deallocation.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() {
    let name = "errand-\(UUID().uuidString)"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Sorted, at any depth.
  var files: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted() }
  }

  func file(_ name: String, _ bytes: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try bytes.write(to: file)
    return file
  }

  func file(_ name: String, _ text: String) throws -> URL { try file(name, Data(text.utf8)) }
}

/// In place, without a new file.
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

  /// Overwrites the first bytes, and sets a modification date in the past.
  static func overwrite(_ file: URL, with bytes: Data) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: file.path)
  }
}

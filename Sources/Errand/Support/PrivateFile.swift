package import Foundation

/// Functions for files that only the owner should read, and that are replaced as a whole.
package enum PrivateFile {
  /// Returns the content of a file; `nil` if no file is found.
  ///
  /// - Parameter limit: the maximum length in bytes; a longer file throws.
  package static func read(_ path: String, limit: Int64) throws(RegularFile.Problem) -> Data? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let file = try RegularFile(path: path)
    let length = try file.state.length
    guard length <= limit else { throw RegularFile.Problem("has more than \(limit) bytes") }
    var data = Data()
    while data.count < length {
      let piece = try file.read(at: Int64(data.count), count: Int(length) - data.count)
      if piece.isEmpty { break }
      data += piece
    }
    return data
  }

  /// Throws if the mode gives any access to the group or to others, or cannot be read.
  package static func checkRights(_ path: String) throws(RegularFile.Problem) {
    let target = try target(of: path)
    let rights = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    guard let rights, rights & 0o077 == 0 else {
      throw RegularFile.Problem("is accessible to other users: set its mode to 600")
    }
  }

  /// Replaces the content of a file atomically.
  ///
  /// - Parameters:
  ///   - isDurable: true to flush the bytes to the disk before the rename.
  ///   - followsLinks: true to replace the target of a symbolic link; false to replace the link itself.
  package static func write(
    _ data: Data, to path: String, isDurable: Bool = false, followsLinks: Bool = true
  ) throws(RegularFile.Problem) {
    let path = followsLinks ? try target(of: path) : path
    let failure = UnfinishedFile.write(data, to: path) { !isDurable || fsync($0) == 0 }
    guard let failure else { return }
    throw RegularFile.Problem("cannot be written: \(String(cString: strerror(failure)))")
  }

  /// Removes abandoned unfinished files next to the file.
  package static func sweep(_ path: String, followsLinks: Bool = true) {
    guard let path = followsLinks ? try? target(of: path) : path else { return }
    UnfinishedFile.sweep(beginning: "\(path).")
  }

  /// Removes a file, or the target of a symbolic link; a missing file is no error.
  package static func remove(_ path: String) throws(RegularFile.Problem) {
    guard unlink(try target(of: path)) == 0 || errno == ENOENT else {
      throw RegularFile.Problem("cannot be removed: \(String(cString: strerror(errno)))")
    }
  }

  /// Follows symbolic links at the end of the path, at most 40, even if the target does not exist.
  ///
  /// Throws for a link of a user other than `user` and root, because the owner could make Errand replace
  /// other files.
  package static func target(
    of path: String, for user: uid_t = geteuid()
  ) throws(RegularFile.Problem) -> String {
    var path = path
    for _ in 0...40 {
      var info = stat()
      guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return path }
      guard info.st_uid == user || info.st_uid == 0 else {
        throw RegularFile.Problem("is a link owned by another user, so the link is not followed")
      }
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      let folder = (path as NSString).deletingLastPathComponent
      path = next.hasPrefix("/") ? next : (folder as NSString).appendingPathComponent(next)
    }
    throw RegularFile.Problem("leads through more than 40 links")
  }
}

package import Foundation

package enum PrivateFile {
  /// Returns the bytes of the file; `nil` if no file is found.
  ///
  /// Throws if the file cannot be read, or has more than `limit` bytes.
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

  /// Checks that only the owner has rights to the file; otherwise throws.
  package static func checkRights(_ path: String) throws(RegularFile.Problem) {
    let target = try target(of: path)
    let rights = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    guard let rights, rights & 0o077 == 0 else {
      throw RegularFile.Problem("is accessible to other users: set its mode to 600")
    }
  }

  /// Writes a file atomically.
  ///
  /// With `isDurable`, `fsync` runs before the rename. Without `followsLinks`, a symbolic link at `path` is
  /// replaced, not its target.
  package static func write(
    _ data: Data, to path: String, isDurable: Bool = false, followsLinks: Bool = true
  ) throws(RegularFile.Problem) {
    let path = followsLinks ? try target(of: path) : path
    let failure = UnfinishedFile.write(data, to: path) { !isDurable || fsync($0) == 0 }
    guard let failure else { return }
    throw RegularFile.Problem("cannot be written: \(String(cString: strerror(failure)))")
  }

  /// Removes temporary files that interrupted writes to `path` have left behind.
  package static func sweep(_ path: String, followsLinks: Bool = true) {
    guard let path = followsLinks ? try? target(of: path) : path else { return }
    UnfinishedFile.sweep(beginning: "\(path).")
  }

  /// Removes the file.
  ///
  /// For a symbolic link, removes the target, not the link. A missing file is no error.
  package static func remove(_ path: String) throws(RegularFile.Problem) {
    guard unlink(try target(of: path)) == 0 || errno == ENOENT else {
      throw RegularFile.Problem("cannot be removed: \(String(cString: strerror(errno)))")
    }
  }

  /// Follows symbolic links at the end of the path, and returns the last target.
  ///
  /// Throws for more than 40 links, and for a link that belongs to neither `user` nor root. The owner of such
  /// a link could make Errand replace other files.
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

package import Foundation

/// Files that their owner alone may read, replaced as a whole.
package enum PrivateFile {
  /// What is in one; `nil` where there is none.
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

  /// Throws where others may read it.
  package static func checkRights(_ path: String) throws(RegularFile.Problem) {
    let target = try target(of: path)
    let rights = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    guard let rights, rights & 0o077 == 0 else {
      throw RegularFile.Problem("can be read by others: make its mode 600")
    }
  }

  /// Puts bytes in the place of the file, in one step.
  ///
  /// - Parameters:
  ///   - isDurable: whether they are on the disk when it returns.
  ///   - followsLinks: whether a link stays one, and what it leads to is replaced; else the link is.
  package static func write(
    _ data: Data, to path: String, isDurable: Bool = false, followsLinks: Bool = true
  ) throws(RegularFile.Problem) {
    let path = followsLinks ? try target(of: path) : path
    let failure = UnfinishedFile.write(data, to: path) { !isDurable || fsync($0) == 0 }
    guard let failure else { return }
    throw RegularFile.Problem("cannot be written: \(String(cString: strerror(failure)))")
  }

  /// Removes what processes that ended while they wrote the file have left beside the file.
  ///
  /// - Parameter followsLinks: as ``write(_:to:isDurable:followsLinks:)`` had it.
  package static func sweep(_ path: String, followsLinks: Bool = true) {
    guard let path = followsLinks ? try? target(of: path) : path else { return }
    UnfinishedFile.sweep(beginning: "\(path).")
  }

  /// Removes one, and what a link leads to in place of the link; nothing where there is none.
  package static func remove(_ path: String) throws(RegularFile.Problem) {
    guard unlink(try target(of: path)) == 0 || errno == ENOENT else {
      throw RegularFile.Problem("cannot be removed: \(String(cString: strerror(errno)))")
    }
  }

  /// Where a path leads over links, also where nothing is there.
  ///
  /// Throws for a link of another user than `user` and root, as whoever makes a link chooses which file is replaced. The system itself
  /// refuses such links only in directories that everybody may write to (`fs.protected_symlinks`), and only where it follows them.
  package static func target(
    of path: String, for user: uid_t = geteuid()
  ) throws(RegularFile.Problem) -> String {
    var path = path
    // As many as the system follows.
    for _ in 0..<40 {
      var info = stat()
      guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return path }
      guard info.st_uid == user || info.st_uid == 0 else {
        throw RegularFile.Problem("is a link of another user, which is not followed")
      }
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      let folder = (path as NSString).deletingLastPathComponent
      path = next.hasPrefix("/") ? next : (folder as NSString).appendingPathComponent(next)
    }
    throw RegularFile.Problem("leads over more than 40 links")
  }
}

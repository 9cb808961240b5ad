package import Foundation

/// The destination of a download: a file or a directory.
///
/// An existing file is replaced. In a directory, a new file is created.
package struct DownloadTarget: Sendable {
  package let directory: URL
  private let name: String
  let replaces: Bool

  static func check(_ destination: URL) throws(Refusal) {
    guard destination.isFileURL else {
      throw Refusal("the destination \(destination) is not a file URL", kind: .file, notOfFile: destination)
    }
    // The system would ignore the path after the zero byte, and write to a different file.
    guard !destination.path(percentEncoded: false).utf8.contains(0) else {
      throw Refusal("the destination has a zero byte in its path", kind: .file)
    }
    guard !destination.path.isEmpty, !destination.lastPathComponent.isEmpty else {
      throw Refusal("the destination \(destination) has no path in UTF-8", kind: .file)
    }
  }

  package init(_ destination: URL, head: HTTPResponse = HTTPResponse()) throws(Refusal) {
    try Self.check(destination)
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: destination.path, isDirectory: &isDirectory)
    replaces = !(destination.hasDirectoryPath || exists && isDirectory.boolValue)
    directory = replaces ? destination.deletingLastPathComponent() : destination
    name = replaces ? destination.lastPathComponent : FileName.proposed(by: head)
  }

  package var url: URL { directory.appendingPathComponent(name, isDirectory: false) }

  package func prepare() throws(Refusal) {
    try Self.makeDirectory(directory)
    var info = stat()
    guard lstat(url.path, &info) == 0 || errno != ENAMETOOLONG else {
      throw Self.failure("cannot be written", at: url, code: ENAMETOOLONG)
    }
  }

  /// Creates a directory and its missing parents.
  ///
  /// Uses system calls, because a failed system call sets an error number.
  private static func makeDirectory(_ url: URL) throws(Refusal) {
    if mkdir(url.path, 0o777) == 0 || errno == EEXIST { return }
    let parent = url.deletingLastPathComponent()
    guard errno == ENOENT, parent.path != url.path else {
      throw failure("cannot be created", at: url, code: errno)
    }
    try makeDirectory(parent)
    guard mkdir(url.path, 0o777) == 0 || errno == EEXIST else {
      throw failure("cannot be created", at: url, code: errno)
    }
  }

  package func moveIntoPlace(_ path: String) throws(Refusal) -> URL {
    if replaces {
      guard rename(path, url.path) == 0 else {
        throw Self.failure("cannot be put in place", at: url, code: errno)
      }
      return url
    }
    for number in 1...Self.lastNumber {
      let free = directory.appendingPathComponent(FileName.numbered(name, with: number), isDirectory: false)
      // A hard link never replaces an existing file.
      if link(path, free.path) == 0 {
        unlink(path)
        return free
      }
      let code = errno
      if code == EEXIST { continue }
      // Some file systems have no hard links.
      guard code == EPERM || code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS else {
        throw Self.failure("cannot be put in place", at: free, code: code)
      }
      if access(free.path, F_OK) == 0 { continue }
      guard rename(path, free.path) == 0 else {
        throw Self.failure("cannot be put in place", at: free, code: errno)
      }
      return free
    }
    throw Refusal("\(url.path) and \(Self.lastNumber) similar names are taken", kind: .file)
  }

  private static let lastNumber = 10_000

  package static func failure(_ what: String, at url: URL, code: Int32) -> Refusal {
    let cause = POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    return Refusal("\(url.path) \(what): \(String(cString: strerror(code)))", kind: .file, cause: cause)
  }
}

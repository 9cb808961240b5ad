import Foundation

/// Where a file is to be: at a place, which it takes from another one, or in a directory, where it takes none.
struct DownloadTarget: Sendable {
  let directory: URL
  private let name: String
  let replaces: Bool

  /// Throws for a URL that names no place, without a look at the file system.
  static func check(_ destination: URL) throws(Refusal) {
    guard destination.isFileURL else {
      throw Refusal("the destination \(destination) is no file URL", kind: .file, notOfFile: destination)
    }
    // The system would take what is before it for the whole.
    guard !destination.path(percentEncoded: false).utf8.contains(0) else {
      throw Refusal("the destination has a zero byte in its path", kind: .file)
    }
    guard !destination.path.isEmpty, !destination.lastPathComponent.isEmpty else {
      throw Refusal("the destination \(destination) has no path in UTF-8", kind: .file)
    }
  }

  /// Throws for a URL that names no place.
  init(_ destination: URL, head: HTTPResponse = HTTPResponse()) throws(Refusal) {
    try Self.check(destination)
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: destination.path, isDirectory: &isDirectory)
    replaces = !(destination.hasDirectoryPath || exists && isDirectory.boolValue)
    directory = replaces ? destination.deletingLastPathComponent() : destination
    name = replaces ? destination.lastPathComponent : FileName.proposed(by: head)
  }

  var url: URL { directory.appendingPathComponent(name, isDirectory: false) }

  /// Makes the directory and those above it, and refuses a name that it has no room for: the system would do so when all of the file is there.
  func prepare() throws(Refusal) {
    try Self.makeDirectory(directory)
    var info = stat()
    guard lstat(url.path, &info) == 0 || errno != ENAMETOOLONG else {
      throw Self.failure("cannot be written", at: url, code: ENAMETOOLONG)
    }
  }

  /// Foundation would not say why it cannot.
  private static func makeDirectory(_ url: URL) throws(Refusal) {
    if mkdir(url.path, 0o777) == 0 || errno == EEXIST { return }
    let parent = url.deletingLastPathComponent()
    guard errno == ENOENT, parent.path != url.path else {
      throw failure("cannot be made", at: url, code: errno)
    }
    try makeDirectory(parent)
    guard mkdir(url.path, 0o777) == 0 || errno == EEXIST else {
      throw failure("cannot be made", at: url, code: errno)
    }
  }

  /// Moves the file there in one step.
  func takeIn(_ path: String) throws(Refusal) -> URL {
    if replaces {
      guard rename(path, url.path) == 0 else {
        throw Self.failure("cannot be put in place", at: url, code: errno)
      }
      return url
    }
    for number in 1...Self.lastNumber {
      let free = directory.appendingPathComponent(FileName.numbered(name, with: number), isDirectory: false)
      // A second name is never given in place of what is there.
      if link(path, free.path) == 0 {
        unlink(path)
        return free
      }
      let code = errno
      if code == EEXIST { continue }
      // Some file systems have no second names.
      guard code == EPERM || code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS else {
        throw Self.failure("cannot be put in place", at: free, code: code)
      }
      if access(free.path, F_OK) == 0 { continue }
      guard rename(path, free.path) == 0 else {
        throw Self.failure("cannot be put in place", at: free, code: errno)
      }
      return free
    }
    throw Refusal("\(url.path) and \(Self.lastNumber) names like it are taken", kind: .file)
  }

  private static let lastNumber = 10_000

  /// What a call of the system has refused.
  static func failure(_ what: String, at url: URL, code: Int32) -> Refusal {
    let cause = POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    return Refusal("\(url.path) \(what): \(String(cString: strerror(code)))", kind: .file, cause: cause)
  }
}

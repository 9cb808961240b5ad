import Foundation

/// A file that is being written, beside the place where it is to be; it is gone when this is, unless it was put there.
final class PartialFile: Sendable {
  private struct State {
    /// `nil` once it is closed.
    var descriptor: Int32?
    var size: Int64 = 0
  }

  private let target: Target
  /// Where it is until it is put in place.
  private let path: String
  private let state: Locked<State>

  /// Makes the directories above the destination and an empty file, which has a name of its own.
  init(for destination: URL, head: HTTPResponse) throws {
    guard destination.isFileURL else {
      throw Refusal("the destination \(destination) is no file URL", kind: .file)
    }
    target = Target(destination, head: head)
    try Self.makeDirectory(target.directory)
    let (path, descriptor) = try Self.open(in: target.directory)
    self.path = path
    state = Locked(State(descriptor: descriptor))
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    guard let descriptor else { return }
    close(descriptor)
    unlink(path)
  }

  /// Appends bytes; called by one task at a time.
  func write(_ data: Data) throws {
    guard let descriptor = state.withLock({ $0.descriptor }) else { throw Self.isPlaced }
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Self.failure("cannot be written", target.url, errno) }
        rest = rest.dropFirst(count)
      }
    }
    state.withLock { $0.size += Int64(data.count) }
  }

  /// Closes it and puts it where it is to be.
  func place() throws -> DownloadedFile {
    let (descriptor, size) = state.withLock { state in
      defer { state.descriptor = nil }
      return (state.descriptor, state.size)
    }
    guard let descriptor else { throw Self.isPlaced }
    do {
      // What the disk has refused late is told here.
      guard close(descriptor) == 0 else { throw Self.failure("cannot be written", target.url, errno) }
      return DownloadedFile(url: try target.takeIn(path), size: size)
    } catch {
      unlink(path)
      throw error
    }
  }

  private static let isPlaced = Refusal("the file was put in place before", kind: .file)

  fileprivate static func failure(_ what: String, _ url: URL, _ code: Int32) -> Refusal {
    let cause = POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    return Refusal("\(url.path) \(what): \(String(cString: strerror(code)))", kind: .file, cause: cause)
  }

  /// Makes an empty file that no other has opened; one that a process has left behind keeps its name.
  private static func open(in directory: URL) throws -> (path: String, descriptor: Int32) {
    for number in 1...9_999 {
      let name = ".errand-\(ProcessInfo.processInfo.processIdentifier)-\(number).part"
      let path = directory.appendingPathComponent(name, isDirectory: false).path
      let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST else { break }
    }
    throw failure("cannot be written", directory, errno)
  }

  /// Makes a directory and those above it; Foundation would not say why it cannot.
  private static func makeDirectory(_ url: URL) throws {
    if mkdir(url.path, 0o777) == 0 || errno == EEXIST { return }
    let parent = url.deletingLastPathComponent()
    guard errno == ENOENT, parent.path != url.path else { throw failure("cannot be made", url, errno) }
    try makeDirectory(parent)
    guard mkdir(url.path, 0o777) == 0 || errno == EEXIST else { throw failure("cannot be made", url, errno) }
  }
}

/// Where a file is to be: at a place, which it takes from another one, or in a directory, where it takes none.
private struct Target: Sendable {
  let directory: URL
  private let name: String
  private let replaces: Bool

  init(_ destination: URL, head: HTTPResponse) {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: destination.path, isDirectory: &isDirectory)
    replaces = !(destination.hasDirectoryPath || exists && isDirectory.boolValue)
    directory = replaces ? destination.deletingLastPathComponent() : destination
    name = replaces ? destination.lastPathComponent : FileName.proposed(by: head)
  }

  var url: URL { directory.appendingPathComponent(name, isDirectory: false) }

  /// Moves the file there in one step.
  func takeIn(_ path: String) throws -> URL {
    if replaces {
      guard rename(path, url.path) == 0 else {
        throw PartialFile.failure("cannot be put in place", url, errno)
      }
      return url
    }
    for number in 1...Self.lastNumber {
      let free = directory.appendingPathComponent(FileName.numbered(name, number), isDirectory: false)
      // A second name is never given in place of what is there.
      if link(path, free.path) == 0 {
        unlink(path)
        return free
      }
      let code = errno
      if code == EEXIST { continue }
      // Some file systems have no second names.
      guard code == EPERM || code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS else {
        throw PartialFile.failure("cannot be put in place", free, code)
      }
      if access(free.path, F_OK) == 0 { continue }
      guard rename(path, free.path) == 0 else {
        throw PartialFile.failure("cannot be put in place", free, errno)
      }
      return free
    }
    throw Refusal("\(url.path) and \(Self.lastNumber) names like it are taken", kind: .file)
  }

  private static let lastNumber = 10_000
}

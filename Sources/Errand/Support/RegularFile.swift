import Foundation

/// A regular file, open for reading.
///
/// Other kinds of files are refused. A device, for example, could block the reader.
package final class RegularFile: Sendable {
  /// The properties of a file that usually reveal a change.
  struct State: Sendable, Equatable {
    /// In bytes.
    let length: Int64
    fileprivate let device: UInt64
    fileprivate let number: UInt64
    fileprivate let seconds: Int64
    fileprivate let nanoseconds: Int64

    var stamp: String { "\(length) \(seconds).\(nanoseconds)" }

    func isSameFile(as other: State) -> Bool { device == other.device && number == other.number }
  }

  /// A problem with a file, as a clause such as `does not exist`.
  package struct Problem: Error, Equatable {
    package let clause: String

    package init(_ clause: String) { self.clause = clause }
  }

  private let descriptor: Int32

  /// Opens a file.
  ///
  /// The type is checked before `open`, because opening a device may have side effects.
  init(path: String) throws(Problem) {
    _ = try Self.state(at: path)
    // A FIFO may have replaced the file since the check. So `open` must not block, and `state` checks again.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.problem(errno) }
    self.descriptor = descriptor
    _ = try state
  }

  deinit { close(descriptor) }

  static func state(at path: String) throws(Problem) -> State {
    // The system would ignore the path after the NUL.
    guard !path.utf8.contains(0) else { throw Problem("has a NUL in the path") }
    var info = stat()
    guard stat(path, &info) == 0 else { throw problem(errno) }
    return try State(info)
  }

  var state: State { get throws(Problem) { try Self.state(of: descriptor) } }

  static func state(of descriptor: Int32) throws(Problem) -> State {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw problem(errno) }
    return try State(info)
  }

  /// Reads up to `count` bytes, at most 64 KiB.
  func read(at offset: Int64, count: Int) throws(Problem) -> Data {
    let block = Block()
    let wanted = min(count, Block.size)
    while block.count < wanted {
      let (result, code) = SystemCall.uninterrupted {
        pread(descriptor, block.bytes + block.count, wanted - block.count, off_t(offset) + off_t(block.count))
      }
      guard result >= 0 else { throw Self.problem(code) }
      if result == 0 { break }
      block.wrote(result)
    }
    return block.data
  }

  /// Creates a folder and its missing parents; only the owner may use the new folders.
  package static func makeFolder(_ path: String) throws(Problem) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      let reason = (error as NSError).localizedDescription
      throw Problem("cannot be created: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)")
    }
  }

  private static func problem(_ code: Int32) -> Problem {
    switch code {
    case ENOENT, ENOTDIR: Problem("does not exist")
    case EACCES, EPERM: Problem("cannot be read: permission denied")
    case EMFILE, ENFILE: Problem("cannot be opened: the process has no file descriptors left")
    default: Problem("cannot be read: \(String(cString: strerror(code)))")
    }
  }
}

extension RegularFile.State {
  fileprivate init(_ info: stat) throws(RegularFile.Problem) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw RegularFile.Problem("is a directory")
    case S_IFIFO: throw RegularFile.Problem("is a FIFO, which has no length")
    default: throw RegularFile.Problem("is a device or a socket, which has no length")
    }
    let modified = info.timeOfChange
    length = Int64(info.st_size)
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
    seconds = Int64(modified.tv_sec)
    nanoseconds = Int64(modified.tv_nsec)
  }
}

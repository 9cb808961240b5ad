import Foundation

/// A file that is open for reading, and is one: no folder, no device, nothing that could keep a reader waiting.
package final class RegularFile: Sendable {
  /// What tells whether a file is still the same, as it was.
  struct State: Sendable, Equatable {
    /// In bytes.
    let length: Int64
    fileprivate let device: UInt64
    fileprivate let number: UInt64
    fileprivate let seconds: Int64
    fileprivate let nanoseconds: Int64

    /// The length and the time of the last change, the same in every process.
    var stamp: String { "\(length) \(seconds).\(nanoseconds)" }

    /// Whether both are of one file, whatever is in it.
    func isSameFile(as other: State) -> Bool { device == other.device && number == other.number }
  }

  /// What is wrong with a file, as the end of a sentence about it.
  package struct Problem: Error, Equatable {
    package let clause: String

    package init(_ clause: String) { self.clause = clause }
  }

  private let descriptor: Int32

  /// Opens what stands at a path, which is looked at first: opening a device may do something.
  init(path: String) throws(Problem) {
    _ = try Self.state(at: path)
    // Does not wait where a FIFO has come in the file's place since.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.problem(errno) }
    self.descriptor = descriptor
    _ = try state
  }

  deinit { close(descriptor) }

  /// Of what stands at a path now.
  static func state(at path: String) throws(Problem) -> State {
    // The system would read it up to there, and find another file.
    guard !path.utf8.contains(0) else { throw Problem("has a NUL in its path") }
    var info = stat()
    guard stat(path, &info) == 0 else { throw problem(errno) }
    return try State(info)
  }

  /// Of the file that was opened, now.
  var state: State { get throws(Problem) { try Self.state(of: descriptor) } }

  /// Of a file that is open.
  static func state(of descriptor: Int32) throws(Problem) -> State {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw problem(errno) }
    return try State(info)
  }

  /// So many bytes from an offset, 64 KiB at most; fewer at the end of the file only.
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

  private static func problem(_ code: Int32) -> Problem {
    switch code {
    case ENOENT, ENOTDIR: Problem("does not exist")
    case EACCES, EPERM: Problem("may not be read")
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

import Errand
import Foundation

/// A file that grows by rewriting the end.
///
/// Only the owner may read the file.
final class GrowingFile: Sendable {
  /// Writes bytes at an offset.
  ///
  /// `count` is the number of written bytes, and 0 or less after a failure. `code` is the error code.
  typealias Write = @Sendable (Int32, UnsafeRawBufferPointer, Int64) -> (count: Int, code: Int32)

  private let path: String
  private let descriptor: Int32
  private let write: Write

  private init(path: String, descriptor: Int32, write: @escaping Write) {
    self.path = path
    self.descriptor = descriptor
    self.write = write
  }

  deinit { close(descriptor) }

  static let system: Write = { descriptor, bytes, offset in
    let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    return (count, count < 0 ? errno : ENOSPC)
  }

  /// Creates the file, or replaces an existing file atomically.
  ///
  /// After a failure, the existing file stays.
  static func begin(
    at path: String, with data: Data, write: @escaping Write
  ) throws(RegularFile.Problem) -> GrowingFile {
    let replaced = try claim(path)
    defer { if let replaced { close(replaced) } }
    // If possible, an existing file is locked until the function returns.
    guard let unfinished = UnfinishedFile.create("\(path).") else { throw problem(errno) }
    let file = GrowingFile(path: path, descriptor: unfinished.descriptor, write: write)
    do throws(RegularFile.Problem) { try file.put(data, at: 0) } catch {
      unlink(unfinished.path)
      throw error
    }
    if let code = unfinished.place(at: path) { throw problem(code) }
    return file
  }

  /// Opens an existing file, and tries to lock the file.
  ///
  /// Returns `nil` if the file is missing or cannot be opened. Throws for a file that is not regular, or that
  /// a different logger has locked.
  private static func claim(_ path: String) throws(RegularFile.Problem) -> Int32? {
    guard !path.utf8.contains(0) else { throw RegularFile.Problem("the path contains a NUL") }
    var info = stat()
    guard lstat(path, &info) == 0 else {
      if errno == ENOENT { return nil }
      throw problem(errno)
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw RegularFile.Problem("the path is a link, which may lead to a file of another user")
    case S_IFDIR: throw problem(EISDIR)
    default: throw RegularFile.Problem("the path is not a regular file")
    }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard AdvisoryLock.attempt(descriptor) != .busy else {
      close(descriptor)
      throw RegularFile.Problem("another HARLogger writes to the file")
    }
    return descriptor
  }

  /// Checks that the file is still at the path and has at least the given length in bytes.
  ///
  /// Returns `false` for a missing or truncated file. Throws for a different file, or if the check fails.
  func isInPlace(with length: Int64) throws(RegularFile.Problem) -> Bool {
    var (own, there) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { throw Self.problem(errno) }
    guard lstat(path, &there) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw Self.problem(errno)
    }
    guard own.st_dev == there.st_dev, own.st_ino == there.st_ino else {
      throw RegularFile.Problem("another file has replaced the HAR file")
    }
    return own.st_size >= off_t(length)
  }

  /// Replaces all bytes from `offset` on.
  ///
  /// After a failure, tries to restore the earlier bytes.
  func replaceEnd(
    from offset: Int64, with data: Data, orPutBack earlier: Data
  ) throws(RegularFile.Problem) {
    do throws(RegularFile.Problem) {
      try put(data, at: offset)
      try cut(at: offset + Int64(data.count))
    } catch {
      try? put(earlier, at: offset)
      try? cut(at: offset + Int64(earlier.count))
      throw error
    }
  }

  private func put(_ data: Data, at offset: Int64) throws(RegularFile.Problem) {
    let failure = SystemCall.write(data) { write(descriptor, $0, offset + Int64($1)) }
    if let failure { throw Self.problem(failure) }
  }

  private func cut(at length: Int64) throws(RegularFile.Problem) {
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw Self.problem(errno) }
  }

  private static func problem(_ code: Int32) -> RegularFile.Problem {
    RegularFile.Problem(String(cString: strerror(code)))
  }
}

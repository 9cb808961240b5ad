import Errand
import Foundation

/// A file that grows, and whose end is written anew with each addition, so that it is whole in between; its owner alone may read it.
///
/// It is a new one, put in the place of what was there in one step: so nobody has it open already, and no link that others may have
/// laid there is followed.
final class GrowingFile: Sendable {
  /// Writes bytes at an offset of a descriptor; how many it wrote, or below 0 and the number of the error.
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

  /// Makes it with its first bytes; where that fails, what was there stays; its folder has to be there.
  static func begin(
    at path: String, with data: Data, write: @escaping Write
  ) throws(RegularFile.Problem) -> GrowingFile {
    let replaced = try claim(path)
    defer { if let replaced { close(replaced) } }
    // Its lock ends with the descriptor. Where a file system knows no locks, nobody is kept out.
    guard let unfinished = UnfinishedFile.create("\(path).") else { throw problem(errno) }
    let file = GrowingFile(path: path, descriptor: unfinished.descriptor, write: write)
    do throws(RegularFile.Problem) { try file.put(data, at: 0) } catch {
      unlink(unfinished.path)
      throw error
    }
    if let code = unfinished.place(at: path) { throw problem(code) }
    return file
  }

  /// What stands there already, locked; `nil` where nothing does, or nothing that may be read.
  private static func claim(_ path: String) throws(RegularFile.Problem) -> Int32? {
    guard !path.utf8.contains(0) else { throw RegularFile.Problem("its path has a NUL") }
    var info = stat()
    guard lstat(path, &info) == 0 else {
      if errno == ENOENT { return nil }
      throw problem(errno)
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw RegularFile.Problem("it is a link, which may lead to another's file")
    case S_IFDIR: throw problem(EISDIR)
    default: throw RegularFile.Problem("it is no file of a disk")
    }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard AdvisoryLock.attempt(descriptor) != .busy else {
      close(descriptor)
      throw RegularFile.Problem("another HARLogger writes it")
    }
    return descriptor
  }

  /// Whether its path still leads to it, and it has so many bytes; not where it was deleted, moved away or emptied.
  ///
  /// Throws where another file has taken its place.
  func isInPlace(with length: Int64) throws(RegularFile.Problem) -> Bool {
    var (own, there) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { throw Self.problem(errno) }
    guard lstat(path, &there) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw Self.problem(errno)
    }
    guard own.st_dev == there.st_dev, own.st_ino == there.st_ino else {
      throw RegularFile.Problem("another file has taken its place")
    }
    return own.st_size >= off_t(length)
  }

  /// Writes from an offset to the end; where that fails, what was there is put back, for which there is room.
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

import Foundation

/// The partial file of a download that may be resumed, usually with a ``PartRecord`` in a second file.
///
/// Both files lie next to the destination. A lock prevents simultaneous use by two downloads. For security,
/// both files must belong to the user.
struct KeptPart: Sendable {
  let path: String
  let recordPath: String

  init(of destination: URL) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // Unlike `Hasher`, FNV-1a has the same result in each process. The directory may be moved, so only the
    // file name is hashed.
    for byte in destination.lastPathComponent.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let name = ".errand-\(String(hash, radix: 16))"
    let directory = destination.deletingLastPathComponent()
    path = directory.appendingPathComponent("\(name).part", isDirectory: false).path
    recordPath = directory.appendingPathComponent("\(name).record", isDirectory: false).path
  }

  /// Opens or creates the file, and locks it; `nil` if the file is in use or unusable.
  func open() -> Int32? {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    var descriptor = Foundation.open(path, flags | O_CREAT | O_EXCL, 0o666)
    let isNew = descriptor >= 0
    if !isNew { descriptor = Foundation.open(path, flags) }
    guard descriptor >= 0 else { return nil }
    // Another download may have moved the file before the lock was acquired.
    guard AdvisoryLock.attempt(descriptor) == .acquired, isNew || Self.isOwn(descriptor),
      let opened = try? RegularFile.state(of: descriptor),
      (try? RegularFile.state(at: path))?.isSameFile(as: opened) == true
    else {
      Foundation.close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Unlocks and closes the file.
  ///
  /// Without the unlocking, a child process with a copy of the descriptor would keep the lock.
  static func close(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Foundation.close(descriptor)
  }

  var record: PartRecord? {
    let descriptor = Foundation.open(recordPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard Self.isOwn(descriptor), let data = try? file.read(upToCount: 65_536) else { return nil }
    guard let record = try? JSONDecoder().decode(PartRecord.self, from: data) else { return nil }
    // The validator is sent in a header, and another process may have written the record.
    return HTTPHeaders.problem(ofLine: .init(name: "If-Range", value: record.validator)) == nil ? record : nil
  }

  /// Writes without a temporary file, because a temporary file would stay if the process were killed.
  func writeRecord(_ record: PartRecord) -> Bool {
    unlink(recordPath)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = Foundation.open(recordPath, flags, 0o600)
    guard descriptor >= 0 else { return false }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: JSONEncoder().encode(record))
      try file.close()
      return true
    } catch {
      unlink(recordPath)
      return false
    }
  }

  func removeRecord() { unlink(recordPath) }

  func remove() {
    unlink(path)
    unlink(recordPath)
  }

  private static func isOwn(_ descriptor: Int32) -> Bool {
    var info = stat()
    return fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid()
      && info.st_nlink == 1
  }
}

import Foundation

/// The first bytes of a file that did not arrive whole, beside the place where it is to be, with the record of what they are.
///
/// Two files have it, named for the destination alone: whatever URL the next request of it has, it finds them, and goes on with them or puts its own
/// in their place, so that nothing is left of URLs that are never asked for again. A lock of the system's keeps two requests, also of two
/// processes, from one part; it is gone with the process. Both have to be the user's own: where others may write too, they could have put
/// them there.
struct KeptPart: Sendable {
  let path: String
  let recordPath: String

  init(of destination: URL) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // FNV-1a, as the name has to be the same in every run. The directory may move.
    for byte in destination.lastPathComponent.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let name = ".errand-\(String(hash, radix: 16))"
    let directory = destination.deletingLastPathComponent()
    path = directory.appendingPathComponent("\(name).part", isDirectory: false).path
    recordPath = directory.appendingPathComponent("\(name).record", isDirectory: false).path
  }

  /// Opens the bytes for writing, with the lock; `nil` where another has it, or there can be no such file.
  func open() -> Int32? {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    var descriptor = Foundation.open(path, flags | O_CREAT | O_EXCL, 0o666)
    let isNew = descriptor >= 0
    if !isNew { descriptor = Foundation.open(path, flags) }
    guard descriptor >= 0 else { return nil }
    // One that was put in place while this one waited for nothing is not there any more.
    guard AdvisoryLock.attempt(descriptor) == .acquired, isNew || Self.isOwn(descriptor),
      let opened = try? RegularFile.state(of: descriptor),
      (try? RegularFile.state(at: path))?.isSameFile(as: opened) == true
    else {
      Foundation.close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Closes the bytes, and gives the lock back also where a process that is being started has the file open still.
  static func close(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Foundation.close(descriptor)
  }

  /// What is known of the bytes; `nil` where nothing is, also where a record was not written to its end.
  var record: PartRecord? {
    let descriptor = Foundation.open(recordPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard Self.isOwn(descriptor), let data = try? file.read(upToCount: 65_536) else { return nil }
    guard let record = try? JSONDecoder().decode(PartRecord.self, from: data) else { return nil }
    // It becomes a header, and others may have written the file.
    return HTTPHeaders.problem(ofLine: .init(name: "If-Range", value: record.validator)) == nil ? record : nil
  }

  /// Notes what the bytes are going to be, in place of what was known; `false` where it cannot be written.
  ///
  /// Written as it is to be, as a file that is moved there would be left behind by a process that ends before that.
  func note(_ record: PartRecord) -> Bool {
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

  /// Forgets what is known of the bytes.
  func forget() { unlink(recordPath) }

  /// Forgets the bytes and what is known of them.
  func remove() {
    unlink(path)
    unlink(recordPath)
  }

  /// Whether it is a file of this user's that has no other name.
  private static func isOwn(_ descriptor: Int32) -> Bool {
    var info = stat()
    return fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid()
      && info.st_nlink == 1
  }
}

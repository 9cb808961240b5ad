import Errand
import Foundation

/// Marks a folder as used, by means of a shared lock.
///
/// The lock ends with the object or the process.
///
/// On a file system without locks, the folder counts as unused.
final class FolderUse: Sendable {
  private let descriptor: Int32

  init(_ path: String) {
    descriptor = Self.open(path)
    _ = AdvisoryLock.attempt(descriptor, isShared: true)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  static func ifUnused(_ path: String, change: () -> Void) {
    let descriptor = open(path)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if AdvisoryLock.attempt(descriptor) != .busy { change() }
  }

  static func isInUse(_ path: String) -> Bool {
    var isUnused = false
    ifUnused(path) { isUnused = true }
    return !isUnused
  }

  private static func open(_ path: String) -> Int32 {
    Foundation.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }
}

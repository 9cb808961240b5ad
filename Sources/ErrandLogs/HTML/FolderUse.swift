import Errand
import Foundation

/// Says to other processes, and to others in this one, that a folder is in use; the system forgets it with the process.
///
/// Where a file system knows no locks, as many that are reached over a network, every folder counts as unused.
final class FolderUse: Sendable {
  private let descriptor: Int32

  /// Lasts as long as this value.
  init(_ path: String) {
    descriptor = Self.open(path)
    _ = AdvisoryLock.attempt(descriptor, isShared: true)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Does something to a folder that nobody uses; nobody is told that it is in use meanwhile.
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

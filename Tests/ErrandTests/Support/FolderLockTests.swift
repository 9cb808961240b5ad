import Foundation
import Testing

@testable import Errand

@Suite("The lock of a folder")
struct FolderLockTests {
  @Test("On a file system without locks, the writer goes on at once without a lock")
  func impossible() throws {
    let folder = TemporaryDirectory()
    var attempts = 0
    let lock = try FolderLock(of: folder.url.appending(path: "jar").path, within: LockDeadline(.seconds(60)))
    {
      _ in
      attempts += 1
      return .impossible
    }
    lock.release()
    #expect(attempts == 1)
  }

  @Test("A lock that stays busy ends in an error that names the other process")
  func busy() throws {
    let folder = TemporaryDirectory()
    let path = folder.url.appending(path: "jar").path
    let lock = try FolderLock(of: path, within: LockDeadline(.zero))
    defer { lock.release() }
    let problem = #expect(throws: RegularFile.Problem.self) {
      _ = try FolderLock(of: path, within: LockDeadline(.zero))
    }
    #expect(problem?.clause == "is being written by another process")
  }
}

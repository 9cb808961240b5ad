import Foundation
import Testing

@testable import Errand

@Suite("A lock on a file", .timeLimit(.minutes(5)))
struct FileLockTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.url.appendingPathComponent("a.lock").path }

  @Test("One holder has the lock at a time, the lock is released, and its file only exists while held")
  func exclusive() async throws {
    let (path, holders) = (path, Locked((now: 0, most: 0, all: 0)))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            let lock = try #require(try await FileLock.acquire(path, unless: CancellationSignal()))
            holders.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
            await Task.yield()
            holders.withLock { $0.now -= 1 }
            lock.release()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(holders.withLock { $0 } == (0, 1, 80))
    #expect(try folder.files == [])
  }

  @Test("A file left by a dead process is no lock")
  func left() async throws {
    _ = try folder.file("a.lock", Data())
    let lock = try await FileLock.acquire(path, unless: CancellationSignal())
    #expect(lock != nil)
    lock?.release()
    #expect(try folder.files == [])
  }

  @Test("The wait ends when the signal fires, and when the task is cancelled", arguments: [true, false])
  func cancelled(bySignal: Bool) async throws {
    let (path, signal) = (path, CancellationSignal())
    let lock = try #require(try await FileLock.acquire(path, unless: signal))
    let waiting = Task { try await FileLock.acquire(path, unless: signal) }
    if bySignal { signal.cancel() } else { waiting.cancel() }
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    lock.release()
  }

  @Test("A folder that cannot have a lock file has no lock")
  func impossible() async throws {
    let signal = CancellationSignal()
    #expect(try await FileLock.acquire("\(folder.url.path)/none/a.lock", unless: signal) == nil)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "elsewhere")
    #expect(try await FileLock.acquire(path, unless: signal) == nil)
    #expect(try folder.files == ["a.lock"])
  }
}

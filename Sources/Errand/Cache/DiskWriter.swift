import Foundation

final class DiskWriter: CachedBodyWriter {
  private struct State {
    /// `nil`: the writer has ended.
    var descriptor: Int32?
    var count: Int64 = 0
    var reserved: Int64 = 0
    var sum = CacheSum()
    var problem: String?
  }

  private let folder: CacheFolder
  private let name: CacheFileName
  private let isVaried: Bool
  private let unfinishedFile: UnfinishedFile
  private let head: Data
  private let state: Locked<State>

  static func make(_ response: CachedResponse, for key: CacheKey, in folder: CacheFolder) async -> DiskWriter?
  {
    guard response.cost <= folder.capacity / 8 else { return nil }
    return await folder.run(CacheFileName(key)) { DiskWriter(response, for: key, in: folder) }
  }

  private init?(_ response: CachedResponse, for key: CacheKey, in folder: CacheFolder) {
    self.folder = folder
    name = CacheFileName(key, variant: response.variant)
    isVaried = !response.selectors.isEmpty
    head = CacheFileHead.bytes(key, response: response)
    let first = Data(count: CacheFileHead.length) + head
    guard folder.reserve(first.count) else { return nil }
    guard let unfinishedFile = folder.begin(name.text) else {
      folder.release(Int64(first.count))
      return nil
    }
    self.unfinishedFile = unfinishedFile
    state = Locked(State(descriptor: unfinishedFile.descriptor, reserved: Int64(first.count)))
    state.withLock { Self.write(first, to: &$0) }
  }

  deinit {
    let (descriptor, reserved) = state.withLock { state in
      defer { (state.descriptor, state.reserved) = (nil, 0) }
      return (state.descriptor, state.reserved)
    }
    guard let descriptor else { return }
    folder.release(reserved)
    folder.runLater(name) { [unfinishedFile] in
      unlink(unfinishedFile.path)
      Foundation.close(descriptor)
    }
  }

  func append(_ bytes: Data) async {
    await folder.run(name) {
      self.state.withLock { state in
        guard state.problem == nil else { return }
        state.count += Int64(bytes.count)
        if state.count > Int64(self.folder.capacity / 8) {
          state.problem = "the response is too large for the cache"
        } else if !self.folder.reserve(bytes.count) {
          state.problem = "the cache has no room for the response"
        } else {
          state.reserved += Int64(bytes.count)
          state.sum.add(bytes)
          Self.write(bytes, to: &state)
        }
        if state.problem != nil { self.empty(&state) }
      }
    }
    await folder.makeRoomIfNeeded()
  }

  private func empty(_ state: inout State) {
    if let descriptor = state.descriptor { ftruncate(descriptor, 0) }
    folder.release(state.reserved)
    state.reserved = 0
  }

  func finish() async -> String? {
    let problem = await folder.run(name) { self.end() }
    await folder.makeRoomIfNeeded()
    return problem
  }

  private func end() -> String? {
    let (head, unfinishedFile) = (self.head, self.unfinishedFile)
    return state.withLock { state in
      guard let descriptor = state.descriptor else { return "the writer has ended" }
      if state.problem == nil {
        let first = CacheFileHead.first(head, bodyLength: state.count, bodySum: state.sum)
        let failure = SystemCall.write(first) { bytes, offset in
          let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
          return (count, errno)
        }
        // A lookup does not verify a long body, so the body must be on disk before the rename.
        let isSafe = state.count <= Int64(CacheFolder.checkedLength) || fsync(descriptor) == 0
        if failure != nil || !isSafe { state.problem = "writing to the disk failed" }
      }
      if state.problem == nil {
        // `close` releases the file lock, and other processes may remove an unlocked, unfinished file. So the
        // rename comes first.
        state.problem = folder.publish(unfinishedFile, as: name.text, isVaried: isVaried)
      } else {
        unlink(unfinishedFile.path)
      }
      folder.release(state.reserved)
      (state.descriptor, state.reserved) = (nil, 0)
      Foundation.close(descriptor)
      return state.problem
    }
  }

  private static func write(_ bytes: Data, to state: inout State) {
    guard state.problem == nil, let descriptor = state.descriptor else { return }
    if SystemCall.write(bytes, to: descriptor) != nil { state.problem = "writing to the disk failed" }
  }
}

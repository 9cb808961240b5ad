import Foundation

/// The files of a `DiskCache`, in subfolders named after the first two digits of the file names.
///
/// Most methods block the thread, and run on the folder's queues.
final class CacheFolder: Sendable {
  /// The maximum length of a body whose checksum a lookup verifies, in bytes.
  static let checkedLength = 1 << 20

  let path: String
  let capacity: Int

  private struct State {
    var written: Int64 = 0
    var unfinished: Int64 = 0
    var isClearing = false
  }

  private let state = Locked(State())

  /// The number of attempts to read a file, for tests.
  let reads = Locked(0)

  /// Serial queues; the digest of the URL selects the queue of a response.
  private let queues = (0..<4).map { DispatchQueue(label: "Errand cache folder \($0)") }
  private let queueOfAll = DispatchQueue(label: "Errand cache folder", qos: .utility)

  private static let unfinishedPrefix = "new-"
  private static var now: Int { Int(SystemTime.date.timeIntervalSince1970) }

  init(path: String, capacity: Int) {
    (self.path, self.capacity) = (path, capacity)
  }

  // MARK: Queues

  func run<Value: Sendable>(
    _ name: CacheFileName, work: @escaping @Sendable () -> Value
  ) async -> Value {
    await perform(work, on: queue(of: name))
  }

  private func perform<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, on queue: DispatchQueue
  ) async -> Value {
    // Thread Sanitizer does not see the order given by the continuation. The lock shows the order.
    let order = Locked(false)
    let value = await withCheckedContinuation { continuation in
      queue.async {
        let value = work()
        order.withLock { $0 = true }
        continuation.resume(returning: value)
      }
    }
    order.withLock { _ in }
    return value
  }

  func search<Value: Sendable>(
    _ name: CacheFileName, work: @escaping @Sendable () -> Value
  ) async -> Value? {
    guard !Task.isCancelled else { return nil }
    let end = OneTime<Value>()
    queue(of: name).async { end.set(work()) }
    return try? await end.wait()
  }

  func runOnAll<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await perform(work, on: queueOfAll)
  }

  func runLater(_ name: CacheFileName, work: @escaping @Sendable () -> Void) {
    queue(of: name).async(execute: DispatchWorkItem(block: work))
  }

  private func queue(of name: CacheFileName) -> DispatchQueue {
    queues[Int(name.text.utf8.first ?? 0) % queues.count]
  }

  func sweepLater() { queueOfAll.async { [weak self] in self?.makeRoom() } }

  /// Creates a missing directory; returns a problem, if any, as the end of a sentence.
  func prepare() -> String? {
    var info = stat()
    if stat(path, &info) != 0 {
      do throws(RegularFile.Problem) {
        try RegularFile.makeFolder(path)
      } catch {
        return error.clause
      }
    }
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return "is not a directory" }
    guard info.st_uid == geteuid() else { return "belongs to another user" }
    guard info.st_mode & 0o022 == 0 else {
      return "is writable by other users: use a directory of your own with mode 700"
    }
    return nil
  }

  // MARK: Names

  func names(of prefix: CacheFileName) -> [String] {
    Self.list(shard(prefix.text)).filter { $0.hasPrefix(prefix.text) }
  }

  var allNames: [String] { shards.flatMap { Self.list($0).filter(Self.isEntry) } }

  private var shards: [String] {
    Self.list(path).filter { $0.utf8.count == 2 && $0.utf8.allSatisfy(Self.isDigit) }.map { "\(path)/\($0)" }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || (0x61...0x66).contains(byte) }

  private static func isEntry(_ name: String) -> Bool {
    name.utf8.count == CacheFileName.length && name.utf8.allSatisfy { isDigit($0) || $0 == 0x2D }
  }

  private func shard(_ name: String) -> String { "\(path)/\(name.prefix(2))" }

  private func file(_ name: String) -> String { "\(shard(name))/\(name)" }

  private static func list(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  // MARK: Reading

  enum Extent { case head, whole }

  /// Returns the key and the response in a file; `nil` for a missing or damaged file.
  ///
  /// `.whole` also verifies the checksum of a body of up to ``checkedLength``.
  func read(_ name: String, extent: Extent = .whole) -> (CacheKey, CachedResponse)? {
    reads.withLock { $0 += 1 }
    guard let file = try? RegularFile(path: file(name)), let length = try? file.state.length,
      let start = try? file.read(at: 0, count: Block.size), let first = CacheFileHead.read(start),
      length == Int64(CacheFileHead.length + first.head.length + first.body.length)
    else { return nil }
    let bodyStart = CacheFileHead.length + first.head.length
    let head = Data(start.dropFirst(CacheFileHead.length).prefix(first.head.length))
    let whole =
      head.count == first.head.length
      ? head : try? bytes(of: file, from: CacheFileHead.length, count: first.head.length)
    guard let whole, CacheSum(whole).isSame(as: first.head.sum),
      let (key, answer) = CacheFileHead.parts(whole)
    else { return nil }
    var body = CachedBody(file, range: Int64(bodyStart)..<length)
    if extent == .whole, first.body.length <= Self.checkedLength {
      let read =
        start.count == Int(length)
        ? Data(start.dropFirst(bodyStart)) : try? bytes(of: file, from: bodyStart, count: first.body.length)
      guard let read, CacheSum(read).isSame(as: first.body.sum) else { return nil }
      body = CachedBody(read)
    }
    return CachedResponse(head: answer, body: body).map { (key, $0) }
  }

  private func bytes(of file: RegularFile, from start: Int, count: Int) throws -> Data {
    try CachedBody(file, range: Int64(start)..<Int64(start + count)).data()
  }

  func noteUse(_ name: String, after seconds: Int) {
    let path = file(name)
    var info = stat()
    guard stat(path, &info) == 0, Self.now - info.timeOfChange.tv_sec >= seconds else { return }
    utimes(path, nil)
  }

  func timeOfUse(_ name: String) -> Double {
    var info = stat()
    return stat(file(name), &info) == 0 ? Self.seconds(info.timeOfChange) : 0
  }

  private static func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }

  // MARK: Writing

  func begin(_ name: String) -> UnfinishedFile? {
    // Another program may have removed the directory.
    if mkdir(shard(name), 0o700) != 0, errno == ENOENT, prepare() == nil { mkdir(shard(name), 0o700) }
    return UnfinishedFile.create("\(shard(name))/\(Self.unfinishedPrefix)")
  }

  func reserve(_ count: Int) -> Bool {
    let most = Int64(capacity / 2)
    return state.withLock { state in
      guard state.unfinished + Int64(count) <= most else { return false }
      state.unfinished += Int64(count)
      state.written += Int64(count)
      return true
    }
  }

  func release(_ count: Int64) { state.withLock { $0.unfinished -= count } }

  /// Renames a finished file; returns a problem, if any, as a clause.
  func publish(_ unfinishedFile: UnfinishedFile, as name: String, isVaried: Bool) -> String? {
    guard unfinishedFile.place(at: file(name)) == nil else { return "the file cannot be put in place" }
    if isVaried { bound(groupOf: name) }
    return nil
  }

  func makeRoomIfNeeded() async {
    let bound = Int64(capacity / 16)
    let isFull = state.withLock { state in
      guard state.written >= bound, !state.isClearing else { return false }
      state.isClearing = true
      return true
    }
    if isFull { await runOnAll { self.makeRoom() } }
  }

  func remove(_ name: String) { unlink(file(name)) }

  func refusal(of response: CachedResponse) -> String {
    response.cost > capacity / 8 ? "the response is too large for the cache" : "the file cannot be created"
  }

  private func makeRoom() {
    var files: [(path: String, used: Double, length: Int64)] = []
    var total: Int64 = 0
    for shard in shards {
      for name in Self.list(shard) {
        var info = stat()
        guard stat("\(shard)/\(name)", &info) == 0 else { continue }
        if Self.isEntry(name) {
          files.append(("\(shard)/\(name)", Self.seconds(info.timeOfChange), Int64(info.st_size)))
          total += Int64(info.st_size)
        } else if name.hasPrefix(Self.unfinishedPrefix) {
          total += UnfinishedFile.sweep("\(shard)/\(name)", now: Self.now)
        }
      }
    }
    for file in files.sorted(by: { $0.used < $1.used }) where total > Int64(capacity - capacity / 16) {
      unlink(file.path)
      total -= file.length
    }
    state.withLock { state in
      state.written = 0
      state.isClearing = false
    }
  }
}

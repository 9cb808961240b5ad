import Foundation

/// The files of a ``DiskCache``: in 256 folders by the beginning of their names.
///
/// Everything but ``prepare()`` blocks, and runs in ``run(_:work:)``, ``search(_:work:)`` or ``runOnAll(_:)``, on queues of the folder's own:
/// no thread of Swift's tasks waits for a disk.
final class CacheFolder: Sendable {
  /// Bodies up to this many bytes are read and checked when they are looked up; longer ones are on the disk before they have their name.
  static let checkedLength = 1 << 20

  let path: String
  let capacity: Int

  private struct State {
    /// Written since it was last seen to that there is room, in bytes.
    var written: Int64 = 0
    /// The bytes of what this process is writing and has not finished.
    var unfinished: Int64 = 0
    var isClearing = false
  }

  // Guard: its lock.
  private let state = Locked(State())

  /// The number of files that were read, for tests.
  // Guard: its lock.
  let reads = Locked(0)

  /// For the files of one key in their order: a key has one of them.
  private let queues = (0..<4).map { DispatchQueue(label: "Errand cache folder \($0)") }
  /// For what takes as long as the folder is full.
  private let queueOfAll = DispatchQueue(label: "Errand cache folder", qos: .utility)

  /// In seconds, by the clock that files have their times from.
  private static let unfinishedPrefix = "new-"
  private static var now: Int { Int(SystemTime.date.timeIntervalSince1970) }

  init(path: String, capacity: Int) {
    (self.path, self.capacity) = (path, capacity)
    // Processes that each write little look too, on average as often as one that writes much.
    let written = Int64(Double(capacity / 16) * SystemRandom.fraction())
    state.withLock { $0.written = written }
  }

  // MARK: Queues

  /// Does something to the files whose names begin so, and waits for it.
  func run<Value: Sendable>(
    _ name: CacheFileName, work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      queue(of: name).async { continuation.resume(returning: work()) }
    }
  }

  /// The same, for what is of no use to a task that is cancelled: `nil` then, at once.
  func search<Value: Sendable>(
    _ name: CacheFileName, work: @escaping @Sendable () -> Value
  ) async -> Value? {
    guard !Task.isCancelled else { return nil }
    let end = OneTime<Value>()
    queue(of: name).async { end.set(work()) }
    return try? await end.wait()
  }

  /// Does something to any of the files, and waits for it.
  func runOnAll<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queueOfAll.async { continuation.resume(returning: work()) }
    }
  }

  /// Does something behind what was asked for before; nobody waits.
  func runLater(_ name: CacheFileName, work: @escaping @Sendable () -> Void) {
    queue(of: name).async(execute: DispatchWorkItem(block: work))
  }

  private func queue(of name: CacheFileName) -> DispatchQueue {
    queues[Int(name.text.utf8.first ?? 0) % queues.count]
  }

  /// Removes what processes that ended have left, behind the back of whoever opens the folder.
  func sweepLater() { queueOfAll.async { [weak self] in self?.makeRoom() } }

  /// Makes the folder; what is wrong with it, as the end of a sentence, `nil` where nothing is.
  func prepare() -> String? {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      return "cannot be made"
    }
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return "is no directory" }
    guard info.st_uid == geteuid() else { return "belongs to another user" }
    guard info.st_mode & 0o022 == 0 else { return "may be written by others: make its mode 700" }
    return nil
  }

  // MARK: Names

  /// Those that begin so.
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

  /// How much of a file is read.
  enum Extent { case head, whole }

  /// A file's key and answer; `nil` where it is not there, or not whole.
  ///
  /// - Parameter extent: with the head alone the body is not checked.
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

  /// Notes that a file was used, where that was noted last before so many seconds.
  func noteUse(_ name: String, after seconds: Int) {
    let path = file(name)
    var info = stat()
    guard stat(path, &info) == 0, Self.now - info.timeOfChange.tv_sec >= seconds else { return }
    utimes(path, nil)
  }

  /// When a file was used last, in seconds; 0 where it is not there.
  func timeOfUse(_ name: String) -> Double {
    var info = stat()
    return stat(file(name), &info) == 0 ? Self.seconds(info.timeOfChange) : 0
  }

  private static func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }

  // MARK: Writing

  /// A new file beside where it will be.
  func begin(_ name: String) -> UnfinishedFile? {
    // Somebody may have cleared the directory away.
    if mkdir(shard(name), 0o700) != 0, errno == ENOENT, prepare() == nil { mkdir(shard(name), 0o700) }
    return UnfinishedFile.create("\(shard(name))/\(Self.unfinishedPrefix)")
  }

  /// Asks for room for so many bytes more of an unfinished file: half of the folder at most is for unfinished ones of this process.
  func reserve(_ count: Int) -> Bool {
    let most = Int64(capacity / 2)
    return state.withLock { state in
      guard state.unfinished + Int64(count) <= most else { return false }
      state.unfinished += Int64(count)
      state.written += Int64(count)
      return true
    }
  }

  /// Forgets the bytes of an unfinished file.
  func release(_ count: Int64) { state.withLock { $0.unfinished -= count } }

  /// Gives a whole file its name; why it has not, as a clause.
  func end(_ beside: UnfinishedFile, as name: String, isVaried: Bool) -> String? {
    guard beside.place(at: file(name)) == nil else { return "the file cannot be put in place" }
    if isVaried { bound(shelfOf: name) }
    return nil
  }

  /// Makes room, where a sixteenth of the folder was written since there was room last.
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

  /// Why an answer is not kept, as a clause.
  func refusal(of response: CachedResponse) -> String {
    response.cost > capacity / 8 ? "it is too large for the cache" : "the file cannot be made"
  }

  /// Removes what processes that ended have left, and the files that were not used for longest, until there is room.
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

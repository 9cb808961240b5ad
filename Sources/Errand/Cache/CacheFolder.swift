import Foundation

/// The files of a ``DiskCache``: in 256 folders by the beginning of their names.
final class CacheFolder: Sendable {
  /// Bodies up to this many bytes are read and checked when they are looked up; longer ones are on the disk before they have their name.
  static let checkedLength = 1 << 20

  let path: String
  let capacity: Int

  private struct State {
    /// Written since it was last seen to that there is room, in bytes.
    var written: Int64 = 0
    var isClearing = false
  }

  // Guard: its lock.
  private let state = Locked(State())

  /// In seconds, by the clock that files have their times from.
  private static var now: Int { Int(SystemTime.date.timeIntervalSince1970) }

  init(path: String, capacity: Int) {
    (self.path, self.capacity) = (path, capacity)
    // Processes that each write little look too, on average as often as one that writes much.
    let written = Int64(Double(capacity / 16) * SystemRandom.fraction())
    state.withLock { $0.written = written }
  }

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
    name.utf8.count == 98 && name.utf8.allSatisfy { isDigit($0) || $0 == 0x2D }
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

  /// A file's key and answer; `nil` where it is not there, or not whole.
  func read(_ name: String) -> (CacheKey, CachedResponse)? {
    guard let file = try? RegularFile(path: file(name)), let length = try? file.state.length,
      let start = try? file.read(at: 0, count: Block.size), let first = CacheFileHead.read(start),
      length == Int64(CacheFileHead.length + first.head.length + first.body.length)
    else { return nil }
    let bodyStart = CacheFileHead.length + first.head.length
    let head = Data(start.dropFirst(CacheFileHead.length).prefix(first.head.length))
    let whole =
      head.count == first.head.length ? head : try? bytes(of: file, CacheFileHead.length, first.head.length)
    guard let whole, CacheSum(whole).isSame(as: first.head.sum),
      let (key, answer) = CacheFileHead.parts(whole)
    else { return nil }
    var body = CachedBody(file, Int64(bodyStart)..<length)
    if first.body.length <= Self.checkedLength {
      let read =
        start.count == Int(length)
        ? Data(start.dropFirst(bodyStart)) : try? bytes(of: file, bodyStart, first.body.length)
      guard let read, CacheSum(read).isSame(as: first.body.sum) else { return nil }
      body = CachedBody(read)
    }
    return CachedResponse(head: answer, body: body).map { (key, $0) }
  }

  private func bytes(of file: RegularFile, _ start: Int, _ count: Int) throws -> Data {
    try CachedBody(file, Int64(start)..<Int64(start + count)).data()
  }

  /// Notes that a file was used, no more than once a minute.
  func noteUse(_ name: String) {
    let path = file(name)
    var info = stat()
    guard stat(path, &info) == 0, Self.now - info.timeOfChange.tv_sec > 60 else { return }
    utimes(path, nil)
  }

  // MARK: Writing

  /// A new file beside where it will be.
  func begin(_ name: String) -> (path: String, descriptor: Int32)? {
    // Somebody may have cleared the directory away.
    if mkdir(shard(name), 0o700) != 0, errno == ENOENT, prepare() == nil { mkdir(shard(name), 0o700) }
    let path = "\(shard(name))/new-\(SystemRandom.digits().prefix(16))"
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    return descriptor < 0 ? nil : (path, descriptor)
  }

  /// Gives a whole file its name; why it has not, as a clause.
  func end(_ beside: String, _ name: String, length: Int64) -> String? {
    guard rename(beside, file(name)) == 0 else {
      unlink(beside)
      return "the file cannot be put in place"
    }
    let bound = Int64(capacity / 16)
    let isFull = state.withLock { state in
      state.written += length
      guard state.written >= bound, !state.isClearing else { return false }
      state.isClearing = true
      return true
    }
    if isFull { makeRoom() }
    return nil
  }

  func remove(_ name: String) { unlink(file(name)) }

  /// Why an answer is not kept, as a clause.
  func refusal(of response: CachedResponse) -> String {
    response.cost > capacity / 8 ? "it is too large for the cache" : "the file cannot be made"
  }

  /// Removes the files that were not used for longest, until there is room, and what processes that ended have left.
  private func makeRoom() {
    var files: [(path: String, used: Double, length: Int64)] = []
    for shard in shards {
      for name in Self.list(shard) {
        var info = stat()
        guard stat("\(shard)/\(name)", &info) == 0 else { continue }
        let used = Double(info.timeOfChange.tv_sec) + Double(info.timeOfChange.tv_nsec) / 1e9
        if Self.isEntry(name) {
          files.append(("\(shard)/\(name)", used, Int64(info.st_size)))
        } else if name.hasPrefix("new-"), Double(Self.now) - used > 3_600 {
          unlink("\(shard)/\(name)")
        }
      }
    }
    var total = files.reduce(0) { $0 + $1.length }
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

import Foundation

/// A file that is being written, beside the place where it is to be; it is gone when this is, unless it was put there, or is kept for a request
/// that goes on with it.
final class PartialFile: Sendable {
  private struct State {
    /// `nil` once it is closed.
    var descriptor: Int32?
    var size: Int64 = 0
    /// Whether what was written is worth keeping.
    var isKept = false
    /// How long the whole is, where a server has said so.
    var length: Int64?
    /// `nil` for a file that is compared with nothing.
    var summing: FileChecksum.Summing?
  }

  private let target: Target
  /// Where it is until it is put in place.
  private let path: String
  /// `nil` for one that no other request goes on with.
  private let part: KeptPart?
  private let state: Locked<State>

  /// Makes the directories above the destination and an empty file, which has a name of its own.
  init(for destination: URL, head: HTTPResponse) throws {
    try Self.check(destination)
    target = Target(destination, head: head)
    try Self.makeDirectory(target.directory)
    let (path, descriptor) = try Self.open(in: target.directory)
    (self.path, part) = (path, nil)
    state = Locked(State(descriptor: descriptor))
  }

  /// Opens what an earlier request has left, or an empty file to be left; `nil` where another request writes there, the destination is a directory,
  /// or the request asks for a range itself.
  init?(resuming destination: URL, for request: HTTPRequest) throws {
    try Self.check(destination)
    target = Target(destination, head: HTTPResponse())
    guard target.replaces, request.method == .get, !request.headers.contains("Range") else { return nil }
    try Self.makeDirectory(target.directory)
    let part = KeptPart(of: destination, for: request)
    guard let descriptor = part.open() else { return nil }
    (path, self.part) = (part.path, part)
    let size = part.validator == nil ? 0 : (try? RegularFile.state(of: descriptor))?.length ?? 0
    state = Locked(State(descriptor: descriptor, size: size, isKept: size > 0))
  }

  deinit { giveUp() }

  /// Closes it where it was not put in place: it is gone, or kept for a request that goes on with it.
  func giveUp() {
    let (taken, isKept) = state.withLock { ($0.descriptor.take(), $0.isKept) }
    guard let descriptor = taken else { return }
    if let part, !isKept { part.remove() }
    if part == nil { unlink(path) }
    KeptPart.close(descriptor)
  }

  /// Asks for what is missing, and for bytes that have not been coded.
  ///
  /// The last byte that is there is asked for again: of a file that is there as a whole there is no range behind it.
  func ask(_ request: inout HTTPRequest) {
    request.headers["Accept-Encoding"] = "identity"
    guard let validator = part?.validator else { return }
    let size = state.withLock { $0.size }
    guard size > 0 else { return }
    request.headers["Range"] = "bytes=\(size - 1)-"
    request.headers["If-Range"] = validator
  }

  /// Makes ready for the body of a response: behind what is there for the range that was asked for, else from the beginning.
  ///
  /// Throws, and forgets what is there, for a range that does not belong to it.
  func begin(_ head: HTTPResponse, _ checksum: FileChecksum?) throws {
    guard let descriptor = state.withLock({ $0.descriptor }) else { throw Self.isPlaced }
    let summing = try checksum?.summing(head)
    let start = try part.map { try begin(head, in: $0, descriptor) } ?? 0
    guard var summing else { return }
    if start > 0 { try sum(&summing, to: start, of: descriptor) }
    state.withLock { $0.summing = summing }
  }

  /// Gives how much of what is there counts.
  private func begin(_ head: HTTPResponse, in part: KeptPart, _ descriptor: Int32) throws -> Int64 {
    var (start, length) = (Int64(0), Int64?.none)
    if head.status == 206 {
      let size = state.withLock { $0.size }
      guard let range = KeptPart.range(of: head), size > 0, range.first <= size, isOfSame(head, part) else {
        state.withLock { $0.isKept = false }
        let field = head.headers["Content-Range"] ?? "none"
        throw Refusal(
          "the range that came, \(field), does not belong to the \(size) bytes that are there; the next request begins anew",
          kind: .invalidResponse)
      }
      (start, length) = (range.first, range.length)
    }
    guard ftruncate(descriptor, off_t(start)) == 0, lseek(descriptor, off_t(start), SEEK_SET) == start else {
      throw Self.failure("cannot be written", target.url, errno)
    }
    let validator = KeptPart.validator(of: head)
    if head.status != 206 { try part.note(validator) }
    let isKept = head.status == 206 || validator != nil
    state.withLock { ($0.size, $0.length, $0.isKept) = (start, length, isKept) }
    return start
  }

  /// Sums up what is there.
  private func sum(_ summing: inout FileChecksum.Summing, to end: Int64, of descriptor: Int32) throws {
    var (buffer, offset) = ([UInt8](repeating: 0, count: 65_536), Int64(0))
    while offset < end {
      let wanted = min(Int(end - offset), buffer.count)
      let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("cannot be read again", target.url, errno) }
      buffer.withUnsafeBytes { summing.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
    }
  }

  /// How many bytes are there.
  var size: Int64 { state.withLock { $0.size } }

  /// Whether a range is of the file whose first bytes are there.
  private func isOfSame(_ head: HTTPResponse, _ part: KeptPart) -> Bool {
    guard let validator = part.validator, KeptPart.isPlain(head) else { return false }
    let sent = head.headers[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"]
    // Who answers a condition need not repeat what it was about.
    return sent == nil || sent == validator
  }

  /// Forgets what is there, as the server has nothing that belongs to it.
  func forget() { state.withLock { $0.isKept = false } }

  /// Appends bytes; called by one task at a time.
  func write(_ data: Data) throws {
    guard let descriptor = state.withLock({ $0.descriptor }) else { throw Self.isPlaced }
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Self.failure("cannot be written", target.url, errno) }
        rest = rest.dropFirst(count)
      }
    }
    // Taken out, as summing up takes its time.
    guard
      var summing = state.withLock({ state in
        state.size += Int64(data.count)
        return state.summing.take()
      })
    else { return }
    data.withUnsafeBytes { summing.update($0) }
    state.withLock { $0.summing = summing }
  }

  /// Closes it and puts it where it is to be.
  func place() throws -> DownloadedFile {
    let (size, length) = state.withLock { ($0.size, $0.length) }
    if let length, size != length {
      forget()
      throw Refusal(
        "the file has \(size) bytes, and the server said \(length); the next request begins anew",
        kind: .invalidResponse)
    }
    do {
      try state.withLock({ $0.summing })?.check(target.url)
    } catch {
      forget()
      throw error
    }
    guard let descriptor = state.withLock({ $0.descriptor.take() }) else { throw Self.isPlaced }
    do {
      defer { KeptPart.close(descriptor) }
      // What the disk has refused late is told by closing it; the lock of a part is held on to.
      guard close(dup(descriptor)) == 0 else { throw Self.failure("cannot be written", target.url, errno) }
      let url = try target.takeIn(path)
      try? part?.note(nil)
      return DownloadedFile(url: url, size: size)
    } catch {
      unlink(path)
      throw error
    }
  }

  private static let isPlaced = Refusal("the file was put in place before", kind: .file)

  private static func check(_ destination: URL) throws {
    guard destination.isFileURL else {
      throw Refusal("the destination \(destination) is no file URL", kind: .file)
    }
    // The system would take what is before it for the whole.
    guard !destination.path(percentEncoded: false).utf8.contains(0) else {
      throw Refusal("the destination has a zero byte in its path", kind: .file)
    }
  }

  fileprivate static func failure(_ what: String, _ url: URL, _ code: Int32) -> Refusal {
    let cause = POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    return Refusal("\(url.path) \(what): \(String(cString: strerror(code)))", kind: .file, cause: cause)
  }

  /// Makes an empty file that no other has opened; one that a process has left behind keeps its name.
  private static func open(in directory: URL) throws -> (path: String, descriptor: Int32) {
    for number in 1...9_999 {
      let name = ".errand-\(ProcessInfo.processInfo.processIdentifier)-\(number).part"
      let path = directory.appendingPathComponent(name, isDirectory: false).path
      let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST else { break }
    }
    throw failure("cannot be written", directory, errno)
  }

  /// Makes a directory and those above it; Foundation would not say why it cannot.
  private static func makeDirectory(_ url: URL) throws {
    if mkdir(url.path, 0o777) == 0 || errno == EEXIST { return }
    let parent = url.deletingLastPathComponent()
    guard errno == ENOENT, parent.path != url.path else { throw failure("cannot be made", url, errno) }
    try makeDirectory(parent)
    guard mkdir(url.path, 0o777) == 0 || errno == EEXIST else { throw failure("cannot be made", url, errno) }
  }
}

/// Where a file is to be: at a place, which it takes from another one, or in a directory, where it takes none.
private struct Target: Sendable {
  let directory: URL
  private let name: String
  let replaces: Bool

  init(_ destination: URL, head: HTTPResponse) {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: destination.path, isDirectory: &isDirectory)
    replaces = !(destination.hasDirectoryPath || exists && isDirectory.boolValue)
    directory = replaces ? destination.deletingLastPathComponent() : destination
    name = replaces ? destination.lastPathComponent : FileName.proposed(by: head)
  }

  var url: URL { directory.appendingPathComponent(name, isDirectory: false) }

  /// Moves the file there in one step.
  func takeIn(_ path: String) throws -> URL {
    if replaces {
      guard rename(path, url.path) == 0 else {
        throw PartialFile.failure("cannot be put in place", url, errno)
      }
      return url
    }
    for number in 1...Self.lastNumber {
      let free = directory.appendingPathComponent(FileName.numbered(name, number), isDirectory: false)
      // A second name is never given in place of what is there.
      if link(path, free.path) == 0 {
        unlink(path)
        return free
      }
      let code = errno
      if code == EEXIST { continue }
      // Some file systems have no second names.
      guard code == EPERM || code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS else {
        throw PartialFile.failure("cannot be put in place", free, code)
      }
      if access(free.path, F_OK) == 0 { continue }
      guard rename(path, free.path) == 0 else {
        throw PartialFile.failure("cannot be put in place", free, errno)
      }
      return free
    }
    throw Refusal("\(url.path) and \(Self.lastNumber) names like it are taken", kind: .file)
  }

  private static let lastNumber = 10_000
}

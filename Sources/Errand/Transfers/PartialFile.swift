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
    /// What is coming; `nil` for a whole.
    var range: Range?
    /// `nil` for a file that is compared with nothing.
    var summing: FileChecksum.Summing?
  }

  /// A range that is being written.
  private struct Range {
    /// Where it is to end.
    let end: Int64
    /// Of the whole.
    let length: Int64
    /// How many bytes were there before it.
    let there: Int64
  }

  /// What is gone on with.
  private struct Resumption {
    let part: KeptPart
    /// Of what is there; `nil` where nothing is known of it.
    let record: PartRecord?
    /// What is asked for.
    let url: URL

    /// How many bytes count of those that are there.
    func usable(of count: Int64) -> Int64 {
      guard let record, record.belongs(to: url), count <= record.length ?? .max else { return 0 }
      return count
    }

    /// The last byte that is there is asked for again: of a file that is there as a whole there is no range behind it.
    func ask(_ request: inout HTTPRequest, behind size: Int64) {
      request.headers["Accept-Encoding"] = "identity"
      guard let record, size > 0 else { return }
      request.headers["Range"] = "bytes=\(size - 1)-"
      request.headers["If-Range"] = record.validator
    }
  }

  private let target: DownloadTarget
  /// Where it is until it is put in place.
  private let path: String
  /// `nil` for one that no other request goes on with.
  private let resumption: Resumption?
  private let state: Locked<State>

  /// Makes the directories above the destination and an empty file, which has a name of its own.
  init(for destination: URL, head: HTTPResponse) throws {
    target = try DownloadTarget(destination, head: head)
    try target.prepare()
    let (path, descriptor) = try Self.open(in: target.directory)
    (self.path, resumption) = (path, nil)
    state = Locked(State(descriptor: descriptor))
  }

  /// Opens what an earlier request has left, or an empty file to be left; `nil` where another request writes there, the destination is a directory,
  /// or the request asks for a range itself.
  init?(resuming destination: URL, for request: HTTPRequest) throws {
    target = try DownloadTarget(destination)
    guard Self.mayResume(request, to: target) else { return nil }
    try target.prepare()
    let part = KeptPart(of: destination)
    guard let descriptor = part.open() else { return nil }
    let resumption = Resumption(part: part, record: part.record, url: request.url)
    let count = resumption.record == nil ? 0 : (try? RegularFile.state(of: descriptor))?.length ?? 0
    (path, self.resumption) = (part.path, resumption)
    // What is of another URL stays until an answer takes its place.
    state = Locked(
      State(descriptor: descriptor, size: resumption.usable(of: count), isKept: count > 0))
  }

  private static func mayResume(_ request: HTTPRequest, to target: DownloadTarget) -> Bool {
    target.replaces && request.method == .get && !request.headers.contains("Range")
  }

  deinit { giveUp() }

  /// Closes it where it was not put in place: it is gone, or kept for a request that goes on with it.
  func giveUp() {
    let (taken, isKept) = state.withLock { ($0.descriptor.take(), $0.isKept) }
    guard let descriptor = taken else { return }
    if !isKept { remove() }
    KeptPart.close(descriptor)
  }

  private func remove() {
    if let resumption { resumption.part.remove() } else { unlink(path) }
  }

  /// Asks for what is missing, and for bytes that have not been coded.
  func ask(_ request: inout HTTPRequest) {
    resumption?.ask(&request, behind: state.withLock { $0.size })
  }

  /// Asks as ``ask(_:)`` does, but makes nothing and holds nothing; gives how many bytes are there.
  static func explain(_ destination: URL, in request: inout HTTPRequest) throws -> Int64 {
    guard mayResume(request, to: try DownloadTarget(destination)) else { return 0 }
    let part = KeptPart(of: destination)
    let resumption = Resumption(part: part, record: part.record, url: request.url)
    let size = resumption.usable(of: (try? RegularFile.state(at: part.path))?.length ?? 0)
    resumption.ask(&request, behind: size)
    return size
  }

  /// Makes ready for the body of a response: behind what is there for the range that was asked for, else from the beginning.
  ///
  /// Throws, and forgets what is there, for a range that does not belong to it.
  ///
  /// - Parameter pause: called after each 256 KiB that is read again for the checksum; what it throws ends the work, and what is there is kept.
  func begin(_ head: HTTPResponse, checksum: FileChecksum?, pause: () async throws -> Void) async throws {
    guard let descriptor = state.withLock({ $0.descriptor }) else { throw Self.isPlaced }
    let summing = try checksum?.summing(head)
    let start = try resumption.map { try begin(head, resumption: $0, descriptor: descriptor) } ?? 0
    guard var summing else { return }
    if start > 0 { try await sum(&summing, to: start, of: descriptor, pause: pause) }
    state.withLock { $0.summing = summing }
  }

  /// Gives how much of what is there counts.
  private func begin(_ head: HTTPResponse, resumption: Resumption, descriptor: Int32) throws -> Int64 {
    if [204, 205].contains(head.status.code), state.withLock({ $0.size > 0 }) {
      throw Refusal("status \(head.status) has no file; what is there is kept", kind: .invalidResponse)
    }
    // Where nothing was asked for behind the beginning, a range of all bytes is as good as the whole.
    let isWhole = state.withLock { $0.size == 0 } && ContentRange(of: head)?.isWhole == true
    let range = head.status == 206 && !isWhole ? try range(of: head, resumption) : nil
    let start = range?.start ?? 0
    guard ftruncate(descriptor, off_t(start)) == 0, lseek(descriptor, off_t(start), SEEK_SET) == start else {
      throw DownloadTarget.failure("cannot be written", at: target.url, code: errno)
    }
    guard range == nil else {
      state.withLock { ($0.size, $0.range, $0.isKept) = (start, range?.rest, true) }
      return start
    }
    let record = PartRecord(of: head, from: resumption.url)
    let isKept = record.map { resumption.part.note($0) } ?? false
    if !isKept { resumption.part.forget() }
    state.withLock { ($0.size, $0.range, $0.isKept) = (0, nil, isKept) }
    return 0
  }

  /// Where a range begins, and what it is; throws, and forgets what is there, for one that does not belong to it.
  private func range(of head: HTTPResponse, _ resumption: Resumption) throws -> (start: Int64, rest: Range) {
    let size = state.withLock { $0.size }
    let field = head.headers["Content-Range"] ?? "none"
    guard let record = resumption.record, size > 0, let range = ContentRange(of: head), range.first <= size,
      record.agrees(with: head, range, from: resumption.url)
    else {
      throw refusal("the range that came, \(field), does not belong to the \(size) bytes that are there")
    }
    guard let length = range.length ?? record.length else {
      throw refusal("the range that came, \(field), does not say how long the whole is")
    }
    return (range.first, Range(end: range.last + 1, length: length, there: size))
  }

  /// Forgets what is there.
  private func refusal(_ reason: String) -> Refusal {
    forget()
    return Refusal("\(reason); the next request begins anew", kind: .invalidResponse)
  }

  /// Sums up what is there.
  private func sum(
    _ summing: inout FileChecksum.Summing, to end: Int64, of descriptor: Int32, pause: () async throws -> Void
  ) async throws {
    var (buffer, offset) = ([UInt8](repeating: 0, count: 262_144), Int64(0))
    while offset < end {
      let wanted = Int(min(end - offset, Int64(buffer.count)))
      let (count, code) = SystemCall.uninterrupted {
        buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
      }
      guard count > 0 else {
        throw DownloadTarget.failure("cannot be read again", at: target.url, code: code)
      }
      buffer.withUnsafeBytes { summing.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
      try await pause()
    }
  }

  /// How many bytes are there.
  var size: Int64 { state.withLock { $0.size } }

  /// Forgets what is there, as the server has nothing that belongs to it.
  func forget() { state.withLock { $0.isKept = false } }

  /// Appends bytes; called by one task at a time.
  func write(_ data: Data) throws {
    let (taken, size, range) = state.withLock { ($0.descriptor, $0.size, $0.range) }
    guard let descriptor = taken else { throw Self.isPlaced }
    if let range, Int64(data.count) > range.end - size {
      throw refusal("more came than the range that was announced, which ends behind \(range.end) bytes")
    }
    if let code = SystemCall.write(data, to: descriptor) {
      throw DownloadTarget.failure("cannot be written", at: target.url, code: code)
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

  /// Closes it and puts it where it is to be; what cannot be put there is kept where another request may go on with it.
  func place() throws -> DownloadedFile {
    let size = try checkedSize()
    guard let descriptor = state.withLock({ $0.descriptor.take() }) else { throw Self.isPlaced }
    // The lock of a part is held on to until it is there.
    defer { KeptPart.close(descriptor) }
    do {
      try settle(descriptor)
      let url = try target.takeIn(path)
      resumption?.part.forget()
      return DownloadedFile(url: url, size: size)
    } catch {
      if resumption == nil || !state.withLock({ $0.isKept }) { remove() }
      throw error
    }
  }

  /// Throws where it is not the whole, or another one than was wanted.
  private func checkedSize() throws -> Int64 {
    let (size, range) = state.withLock { ($0.size, $0.range) }
    if let range, size < range.length {
      let reason = "the range that came was short: \(size) of \(range.length) bytes are there"
      guard size > range.there else { throw refusal(reason) }
      throw Refusal("\(reason); the next request goes on behind them", kind: .invalidResponse)
    }
    do {
      try state.withLock({ $0.summing })?.check(target.url)
    } catch {
      forget()
      throw error
    }
    return size
  }

  /// Lets the system tell what it has refused late, which it does where a file is closed.
  private func settle(_ descriptor: Int32) throws {
    let copy = dup(descriptor)
    if copy >= 0 {
      if close(copy) == 0 { return }
      forget()
    }
    throw DownloadTarget.failure("cannot be written", at: target.url, code: errno)
  }

  private static let isPlaced = Refusal("the file was put in place before", kind: .file)

  /// Makes an empty file that no other has opened, and locks the file as long as it is being written.
  private static func open(in directory: URL) throws -> (path: String, descriptor: Int32) {
    LeftoverParts.sweep(directory.path)
    for number in 1...9_999 {
      let path = directory.appendingPathComponent(LeftoverParts.name(number), isDirectory: false).path
      let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 {
        if UnfinishedFile.lock(descriptor) { return (path, descriptor) }
        continue
      }
      guard errno == EEXIST else { break }
    }
    throw DownloadTarget.failure("cannot be written", at: directory, code: errno)
  }
}

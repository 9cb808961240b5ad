import Foundation

/// A file that is being written next to its destination.
///
/// Releasing the object removes the file, unless the file is in place or is kept for resumption.
final class PartialFile: Sendable {
  private struct State {
    var descriptor: Int32?
    var size: Int64 = 0
    var isKept = false
    /// Set only for a 206 response that continues the file.
    var range: Range?
    var summing: FileChecksum.Summing?
    /// The byte with which a received range must begin; `nil` if no comparison is due.
    var repeated: UInt8?
  }

  private struct Range {
    let end: Int64
    let length: Int64
    let presentBytes: Int64
  }

  private struct Resumption {
    let part: KeptPart
    let record: PartRecord?
    let url: URL

    func usable(of count: Int64) -> Int64 {
      guard let record, record.belongs(to: url), count <= record.length ?? .max else { return 0 }
      return count
    }

    /// If bytes are kept, asks the server for the bytes from the last kept byte on.
    ///
    /// The range includes the last kept byte, because a later range of a complete file would be invalid.
    func ask(_ request: inout HTTPRequest, behind size: Int64) {
      request.headers["Accept-Encoding"] = "identity"
      guard let record, size > 0 else { return }
      request.headers["Range"] = "bytes=\(size - 1)-"
      request.headers["If-Range"] = record.validator
    }
  }

  private let target: DownloadTarget
  private let path: String
  private let resumption: Resumption?
  private let state: Locked<State>

  init(for destination: URL, head: HTTPResponse) throws {
    target = try DownloadTarget(destination, head: head)
    try target.prepare()
    let (path, descriptor) = try Self.open(in: target.directory)
    (self.path, resumption) = (path, nil)
    state = Locked(State(descriptor: descriptor))
  }

  init?(resuming destination: URL, for request: HTTPRequest) throws {
    target = try DownloadTarget(destination)
    guard Self.mayResume(request, to: target) else { return nil }
    try target.prepare()
    let part = KeptPart(of: destination)
    guard let descriptor = part.open() else { return nil }
    let resumption = Resumption(part: part, record: part.record, url: request.url)
    let count = resumption.record == nil ? 0 : (try? RegularFile.state(of: descriptor))?.length ?? 0
    (path, self.resumption) = (part.path, resumption)
    // Bytes of a different URL stay until a response replaces them.
    state = Locked(
      State(descriptor: descriptor, size: resumption.usable(of: count), isKept: count > 0))
  }

  private static func mayResume(_ request: HTTPRequest, to target: DownloadTarget) -> Bool {
    target.replaces && request.method == .get && !request.headers.contains("Range")
  }

  deinit { cancel() }

  func cancel() {
    let (taken, isKept) = state.withLock { ($0.descriptor.take(), $0.isKept) }
    guard let descriptor = taken else { return }
    if !isKept { remove() }
    KeptPart.close(descriptor)
  }

  private func remove() {
    if let resumption { resumption.part.remove() } else { unlink(path) }
  }

  func ask(_ request: inout HTTPRequest) {
    resumption?.ask(&request, behind: state.withLock { $0.size })
  }

  static func addResumptionHeaders(to request: inout HTTPRequest, for destination: URL) throws -> Int64 {
    guard mayResume(request, to: try DownloadTarget(destination)) else { return 0 }
    let part = KeptPart(of: destination)
    let resumption = Resumption(part: part, record: part.record, url: request.url)
    let size = resumption.usable(of: (try? RegularFile.state(at: part.path))?.length ?? 0)
    resumption.ask(&request, behind: size)
    return size
  }

  /// Prepares the file for the body.
  ///
  /// Calls `pause` after each read of kept bytes for the checksum.
  func begin(_ head: HTTPResponse, checksum: FileChecksum?, pause: () async throws -> Void) async throws {
    guard let descriptor = state.withLock({ $0.descriptor }) else { throw Self.isPlaced }
    let summing = try checksum?.summing(head)
    let start = try resumption.map { try begin(head, resumption: $0, descriptor: descriptor) } ?? 0
    guard var summing else { return }
    if start > 0 { try await sum(&summing, to: start, of: descriptor, pause: pause) }
    state.withLock { $0.summing = summing }
  }

  private func begin(_ head: HTTPResponse, resumption: Resumption, descriptor: Int32) throws -> Int64 {
    if [204, 205].contains(head.status.code), state.withLock({ $0.size > 0 }) {
      throw Refusal(
        "the response with status \(head.status) has no file; the bytes already downloaded are kept",
        kind: .invalidResponse)
    }
    // Without kept bytes, a range of the whole file counts as a complete response.
    let isWhole = state.withLock { $0.size == 0 } && ContentRange(of: head)?.isWhole == true
    let range = head.status == 206 && !isWhole ? try range(of: head, resumption) : nil
    let start = range?.start ?? 0
    let repeated = range == nil ? nil : byte(at: start, of: descriptor)
    guard ftruncate(descriptor, off_t(start)) == 0, lseek(descriptor, off_t(start), SEEK_SET) == start else {
      throw DownloadTarget.failure("cannot be written", at: target.url, code: errno)
    }
    guard range == nil else {
      state.withLock { ($0.size, $0.range, $0.isKept, $0.repeated) = (start, range?.rest, true, repeated) }
      return start
    }
    let record = PartRecord(of: head, from: resumption.url)
    let isKept = record.map { resumption.part.writeRecord($0) } ?? false
    if !isKept { resumption.part.removeRecord() }
    state.withLock { ($0.size, $0.range, $0.isKept) = (0, nil, isKept) }
    return 0
  }

  private func range(of head: HTTPResponse, _ resumption: Resumption) throws -> (start: Int64, rest: Range) {
    let size = state.withLock { $0.size }
    let field = head.headers["Content-Range"] ?? "none"
    guard let record = resumption.record, size > 0, let range = ContentRange(of: head), range.first <= size,
      record.agrees(with: head, range, from: resumption.url)
    else {
      throw discardBytes(
        because: "the received range, \(field), does not continue the \(size) bytes already downloaded")
    }
    guard let length = range.length ?? record.length else {
      throw discardBytes(because: "the received range, \(field), does not state the total length")
    }
    return (range.first, Range(end: range.last + 1, length: length, presentBytes: size))
  }

  private func byte(at offset: Int64, of descriptor: Int32) -> UInt8? {
    var byte: UInt8 = 0
    let (count, _) = SystemCall.uninterrupted { pread(descriptor, &byte, 1, off_t(offset)) }
    return count == 1 ? byte : nil
  }

  private func discardBytes(because reason: String) -> Refusal {
    forget()
    return Refusal("\(reason); the next request starts from the beginning", kind: .invalidResponse)
  }

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
        throw DownloadTarget.failure(
          "cannot be read again", at: target.url, code: count == 0 ? EIO : code)
      }
      buffer.withUnsafeBytes { summing.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
      try await pause()
    }
  }

  var size: Int64 { state.withLock { $0.size } }

  /// Marks the kept bytes for removal.
  ///
  /// A file that is put in place stays.
  func forget() { state.withLock { $0.isKept = false } }

  /// Called by a single task at a time.
  func write(_ data: Data) throws {
    let (taken, size, range) = state.withLock { ($0.descriptor, $0.size, $0.range) }
    guard let descriptor = taken else { throw Self.isPlaced }
    if let first = data.first, let repeated = state.withLock({ $0.repeated.take() }), first != repeated {
      throw discardBytes(because: "the received range differs from the bytes already downloaded")
    }
    if let range, Int64(data.count) > range.end - size {
      throw discardBytes(
        because: "the server sent more bytes than the announced range, which ends after \(range.end) bytes")
    }
    if let code = SystemCall.write(data, to: descriptor) {
      throw DownloadTarget.failure("cannot be written", at: target.url, code: code)
    }
    // The checksum is updated outside the lock, because the update takes time.
    guard
      var summing = state.withLock({ state in
        state.size += Int64(data.count)
        return state.summing.take()
      })
    else { return }
    data.withUnsafeBytes { summing.update($0) }
    state.withLock { $0.summing = summing }
  }

  func place() throws -> DownloadedFile {
    let size = try checkedSize()
    guard let descriptor = state.withLock({ $0.descriptor.take() }) else { throw Self.isPlaced }
    // Closing the descriptor releases the lock, so the file is moved first.
    defer { KeptPart.close(descriptor) }
    do {
      try settle(descriptor)
      let url = try target.moveIntoPlace(path)
      resumption?.part.removeRecord()
      return DownloadedFile(url: url, size: size)
    } catch {
      if resumption == nil || !state.withLock({ $0.isKept }) { remove() }
      throw error
    }
  }

  private func checkedSize() throws -> Int64 {
    let (size, range) = state.withLock { ($0.size, $0.range) }
    if let range, size < range.length {
      let reason = "the received range is too short: \(size) of \(range.length) bytes are downloaded"
      guard size > range.presentBytes else { throw discardBytes(because: reason) }
      throw Refusal("\(reason); the next request continues after these bytes", kind: .invalidResponse)
    }
    do {
      try state.withLock({ $0.summing })?.check(target.url)
    } catch {
      forget()
      throw error
    }
    return size
  }

  /// Detects late write errors by closing a duplicate.
  ///
  /// Closing the descriptor itself would release the lock.
  private func settle(_ descriptor: Int32) throws {
    let copy = dup(descriptor)
    if copy >= 0, close(copy) == 0 { return }
    let code = errno
    if copy >= 0 { forget() }
    throw DownloadTarget.failure("cannot be written", at: target.url, code: code)
  }

  private static let isPlaced = Refusal("the file is already in place", kind: .file)

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

public import Foundation

/// Keeps answers on a disk, one file for each, the least recently used of them no longer than there is room.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cache = try DiskCache(directory: caches.appending(path: "api"))
/// ```
///
/// A file is written beside its place and renamed, so that a process that is ended at any moment leaves a whole one or none; several
/// processes may use one directory at once. What an ended process has not finished is removed by the next that opens the directory.
/// Of one URL and one user there are up to 16 variants by `Vary`, and the least recently used one goes. Files have the mode 600, and hold answers as they came: whoever may read them reads them. Which credentials an answer came for is in them as
/// a SHA-256 only. What cannot be written or read is a miss. Making one waits for no file; a lookup lists a 256th of the
/// directory and reads what may answer. Files are read and written on queues of the cache's own. May be used from anywhere.
public final class DiskCache: ResponseCache, @unchecked Sendable {
  /// Where the files are.
  public let directory: URL
  /// How many bytes they may take, about: each process that writes may exceed it by a sixteenth until it looks again.
  ///
  /// What is being written counts, and takes half of it at most in a process.
  public let capacity: Int

  let folder: CacheFolder

  /// Makes one of a directory, which is made where it is not there, for its owner alone.
  ///
  /// - Parameters:
  ///   - directory: of its own; other files in it are left alone. A link is followed once, when the cache is made, where the link belongs to the
  ///   own user or to root.
  ///   - capacity: how many bytes the files may take: 256 MiB by default. A single answer may take an eighth of them.
  /// - Throws: ``RequestError`` of the kind ``RequestError/Kind/file`` where it cannot be made, is no directory, belongs to another
  ///   user, is a link of another user, or others may write in it, and where the URL is no file URL.
  public init(directory: URL, capacity: Int = 256 << 20) throws {
    (self.directory, self.capacity) = (directory, max(0, capacity))
    guard directory.isFileURL else {
      let refusal = Refusal("the cache directory is no file URL", kind: .file, notOfFile: directory)
      throw RequestError(.file, refusal.message, stage: .build, cause: refusal)
    }
    func failure(_ clause: String) -> RequestError {
      RequestError(.file, "the cache directory \(directory.path) \(clause)", stage: .build)
    }
    do throws(RegularFile.Problem) {
      // The place stays the same wherever the link leads later.
      folder = CacheFolder(path: try PrivateFile.target(of: directory.path), capacity: max(0, capacity))
    } catch {
      throw failure(error.clause)
    }
    if let problem = folder.prepare() { throw failure(problem) }
    folder.sweepLater()
  }

  /// What is stored for the key.
  override func responses(for key: CacheKey) async -> [CachedResponse] {
    let name = CacheFileName(key)
    return await folder.search(name) { [folder] in folder.responses(for: key, name) } ?? []
  }

  override func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    let name = CacheFileName(key)
    return await folder.search(name) { [folder] in folder.responses(for: key, named: name, to: question) }
      ?? []
  }

  /// Keeps an answer; why it does not, as a clause.
  override func store(_ response: CachedResponse, for key: CacheKey) async -> String? {
    guard let writer = await DiskWriter.make(response, for: key, in: folder) else {
      return folder.refusal(of: response)
    }
    var body = response.body.stream.makeAsyncIterator()
    do {
      while let chunk = try await body.next() { await writer.append(chunk) }
    } catch {
      return "its body cannot be read"
    }
    return await writer.finish()
  }

  /// Begins an answer whose body comes piece by piece.
  override func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    await DiskWriter.make(response, for: key, in: folder)
  }

  /// Removes the answer of that key and variant.
  override func remove(_ variant: String, of key: CacheKey) async {
    let name = CacheFileName(key, variant: variant)
    await folder.run(name) { [folder] in folder.remove(name.text) }
  }

  /// Removes all answers of a canonical URL, whosever they are.
  override func removeAll(of url: String) async {
    let name = CacheFileName(url: url)
    await folder.run(name) { [folder] in
      for name in folder.names(of: name) { folder.remove(name) }
    }
  }

  /// Removes what the predicate says; to the end, also in a task that is cancelled.
  override func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {
    let names = await folder.runOnAll { [folder] in folder.allNames }
    for start in stride(from: 0, to: names.count, by: Self.batch) {
      let names = names[start..<min(start + Self.batch, names.count)]
      let files = await folder.runOnAll { [folder] in names.map { ($0, folder.read($0, extent: .head)) } }
      // What cannot be read is of no use to anybody.
      let gone = files.filter { $0.1.map(isRemoved) ?? true }.map(\.0)
      await folder.runOnAll { [folder] in
        for name in gone { folder.remove(name) }
      }
    }
  }

  /// How many files are open at once while all are looked at.
  private static let batch = 16
}

extension DiskCache: PrintedByDescription {
  /// Such as `DiskCache(/home/ann/.cache/api, 268435456 bytes)`.
  public var description: String { "DiskCache(\(directory.path), \(capacity) bytes)".printed }
}

/// The name of a file: digests of the URL, of the rest of the key, and of the variant's shelf, layout and text.
struct CacheFileName: Sendable {
  /// Of all five; one that lacks the last ones is a prefix of those that have them.
  let text: String

  /// The bytes of a name that has all five: two digests of 32 digits, two of 16, one of 32, and what stands between them.
  static let length = 32 + 1 + 32 + 1 + 16 + 1 + 16 + 1 + 32

  /// Of all answers of a URL.
  init(url: String) { text = Self.digest(url) + "-" }

  /// Of all answers of a key.
  init(_ key: CacheKey) {
    // What follows a blank are a method and a body.
    let url = key.url.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
    text = "\(Self.digest(url))-\(Self.digest(key.url + "\n" + key.partition))-"
  }

  /// Of all variants on a shelf of a key.
  ///
  /// - Parameter key: the name of all answers of the key.
  init(_ key: CacheFileName, shelf: String) {
    // Most answers are on the shelf without a name.
    text = "\(key.text)\(shelf.isEmpty ? Self.ofNothing : String(Self.digest(shelf).prefix(16)))-"
  }

  private static let ofNothing = String(digest("").prefix(16))

  /// Of all variants on the shelf of a file.
  init(shelfOf name: String) { text = String(name.prefix(32 + 1 + 32 + 1 + 16 + 1)) }

  init(_ key: CacheKey, variant: String) { self.init(CacheFileName(key), variant: variant) }

  /// Of one variant.
  ///
  /// - Parameter key: the name of all answers of the key.
  init(_ key: CacheFileName, variant: String) {
    let name = VariantName(variant)
    let shelf = CacheFileName(key, shelf: name.shelf).text
    text = "\(shelf)\(Self.digest(name.layout).prefix(16))-\(Self.digest(variant))"
  }

  /// What files of one shelf have in common.
  static func shelf(of name: String) -> Substring { name.prefix(32 + 1 + 32 + 1 + 16) }

  /// What files of one layout have in common.
  static func layout(of name: String) -> Substring { name.prefix(32 + 1 + 32 + 1 + 16 + 1 + 16) }

  private static func digest(_ text: String) -> String {
    String(CacheKey.digest([Data(text.utf8)]).prefix(32))
  }
}

/// What a file begins with: a mark, the lengths and the sums of what follows.
enum CacheFileHead {
  /// The mark, then four numbers of eight bytes, the lowest first: length and sum of key and head, length and sum of the body.
  static let length = 8 + 4 * 8
  private static let mark = Data("ErrandC1".utf8)

  /// The key and the head of an answer.
  static func bytes(_ key: CacheKey, response: CachedResponse) -> Data {
    let text = Data((key.url + "\n" + key.partition).utf8)
    return number(UInt64(text.count)) + text + response.head
  }

  static func first(_ head: Data, bodyLength: Int64, bodySum: CacheSum) -> Data {
    mark + number(UInt64(head.count)) + number(CacheSum(head).written) + number(UInt64(max(0, bodyLength)))
      + number(bodySum.written)
  }

  /// The lengths and sums; `nil` of a file that is none of these.
  static func read(_ data: Data) -> (head: (length: Int, sum: UInt64), body: (length: Int, sum: UInt64))? {
    guard data.count >= length, data.prefix(8) == mark else { return nil }
    let numbers = (0..<4).map { number(in: data.dropFirst(8 + 8 * $0)) }
    guard let head = Int(exactly: numbers[0]), let body = Int(exactly: numbers[2]), head <= 1 << 24,
      body <= 1 << 50
    else { return nil }
    return ((head, numbers[1]), (body, numbers[3]))
  }

  /// The key and the head of an answer, of what ``bytes(_:response:)`` gave.
  static func parts(_ data: Data) -> (key: CacheKey, head: Data)? {
    guard data.count >= 8, let count = Int(exactly: number(in: data)), count <= data.count - 8 else {
      return nil
    }
    let text = String(decoding: data.dropFirst(8).prefix(count), as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 2 else { return nil }
    return (CacheKey(url: lines[0], partition: lines[1]), Data(data.dropFirst(8 + count)))
  }

  private static func number(_ value: UInt64) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

  private static func number(in data: Data) -> UInt64 {
    data.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
  }
}

/// A sum that tells whether bytes are those that were written: the FNV-1a of words of eight bytes.
struct CacheSum: Sendable {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325
  /// Less than a word.
  private var rest: [UInt8] = []

  init() {}

  init(_ data: Data) { add(data) }

  mutating func add(_ data: Data) {
    data.withUnsafeBytes { bytes in
      var place = 0
      while !rest.isEmpty, rest.count < 8, place < bytes.count {
        rest.append(bytes[place])
        place += 1
      }
      if rest.count == 8 {
        mix(rest.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        rest = []
      }
      while place + 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place += 8
      }
      if place < bytes.count { rest += bytes[place...] }
    }
    total += UInt64(data.count)
  }

  private var total: UInt64 = 0

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word.littleEndian) &* 0x0000_0100_0000_01B3
    value ^= value >> 29
  }

  /// With the bytes that are no word, and the number of all.
  private var finished: UInt64 {
    var copy = self
    for byte in rest { copy.mix(UInt64(byte)) }
    copy.mix(total)
    return copy.value
  }

  /// Whether it is the sum that was written.
  func isSame(as written: UInt64) -> Bool { finished == written }

  /// What is written.
  var written: UInt64 { finished }
}

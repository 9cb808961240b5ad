import Foundation

final class DiskCache: ResponseCache, @unchecked Sendable {
  let directory: URL
  /// The approximate capacity in bytes.
  let capacity: Int

  let folder: CacheFolder

  init(directory: URL, capacity: Int = 256 << 20) throws {
    (self.directory, self.capacity) = (directory, max(0, capacity))
    guard directory.isFileURL else {
      let refusal = Refusal("the cache directory is not a file URL", kind: .file, notOfFile: directory)
      throw RequestError(.file, refusal.message, stage: .build, cause: refusal)
    }
    if let host = directory.host, !host.isEmpty, host.lowercased() != "localhost" {
      throw RequestError(
        .file,
        "the cache directory is on the host \(host): a file URL must have no host, or localhost",
        stage: .build)
    }
    func failure(_ clause: String) -> RequestError {
      RequestError(.file, "the cache directory \(directory.path) \(clause)", stage: .build)
    }
    do throws(RegularFile.Problem) {
      // A link at the end of the path is resolved once, so a later change of the link has no effect.
      folder = CacheFolder(path: try PrivateFile.target(of: directory.path), capacity: max(0, capacity))
    } catch {
      throw failure(error.clause)
    }
    if let problem = folder.prepare() { throw failure(problem) }
    folder.sweepLater()
  }

  override func responses(for key: CacheKey) async -> [CachedResponse] {
    let name = CacheFileName(key)
    return await folder.search(name) { [folder] in folder.responses(for: key, name) } ?? []
  }

  override func responses(for key: CacheKey, _ question: VariantQuestion) async -> [CachedResponse] {
    let name = CacheFileName(key)
    return await folder.search(name) { [folder] in folder.responses(for: key, named: name, to: question) }
      ?? []
  }

  override func store(_ response: CachedResponse, for key: CacheKey) async -> String? {
    guard let writer = await DiskWriter.make(response, for: key, in: folder) else {
      return folder.refusal(of: response)
    }
    var body = response.body.stream.makeAsyncIterator()
    do {
      while let chunk = try await body.next() { await writer.append(chunk) }
    } catch {
      return "the body of the response cannot be read"
    }
    return await writer.finish()
  }

  override func writer(for response: CachedResponse, key: CacheKey) async -> (any CachedBodyWriter)? {
    await DiskWriter.make(response, for: key, in: folder)
  }

  override func remove(_ variant: String, of key: CacheKey) async {
    let name = CacheFileName(key, variant: variant)
    await folder.run(name) { [folder] in folder.remove(name.text) }
  }

  override func removeAll(of url: String) async {
    let name = CacheFileName(url: url)
    await folder.run(name) { [folder] in
      for name in folder.names(of: name) { folder.remove(name) }
    }
  }

  override func removeAll(where isRemoved: @Sendable (CacheKey, CachedResponse) -> Bool) async {
    let names = await folder.runOnAll { [folder] in folder.allNames }
    for start in stride(from: 0, to: names.count, by: Self.batch) {
      let names = names[start..<min(start + Self.batch, names.count)]
      let files = await folder.runOnAll { [folder] in names.map { ($0, folder.read($0, extent: .head)) } }
      let gone = files.filter { $0.1.map(isRemoved) ?? true }.map(\.0)
      await folder.runOnAll { [folder] in
        for name in gone { folder.remove(name) }
      }
    }
  }

  /// The maximum number of files open together during a removal.
  private static let batch = 16
}

extension DiskCache: PrintedByDescription {
  /// A text such as `DiskCache(/home/ann/.cache/api, 268435456 bytes)`.
  public var description: String { "DiskCache(\(directory.path), \(capacity) bytes)".printed }
}

/// A file name: digests of the URL, the key, the variant group, the layout and the variant.
struct CacheFileName: Sendable {
  /// A complete name or a prefix.
  let text: String

  static let length = 32 + 1 + 32 + 1 + 16 + 1 + 16 + 1 + 32

  init(url: String) { text = Self.digest(url) + "-" }

  init(_ key: CacheKey) {
    // In some keys, a space, the method and a digest follow the URL.
    let url = key.url.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
    text = "\(Self.digest(url))-\(Self.digest(key.url + "\n" + key.partition))-"
  }

  init(_ key: CacheFileName, variantGroup: String) {
    text =
      "\(key.text)\(variantGroup.isEmpty ? Self.ofNothing : String(Self.digest(variantGroup).prefix(16)))-"
  }

  private static let ofNothing = String(digest("").prefix(16))

  init(groupOf name: String) { text = String(name.prefix(32 + 1 + 32 + 1 + 16 + 1)) }

  init(_ key: CacheKey, variant: String) { self.init(CacheFileName(key), variant: variant) }

  init(_ key: CacheFileName, variant: String) {
    let name = VariantName(variant)
    let group = CacheFileName(key, variantGroup: name.variantGroup).text
    text = "\(group)\(Self.digest(name.layout).prefix(16))-\(Self.digest(variant))"
  }

  static func variantGroup(of name: String) -> Substring { name.prefix(32 + 1 + 32 + 1 + 16) }

  static func layout(of name: String) -> Substring { name.prefix(32 + 1 + 32 + 1 + 16 + 1 + 16) }

  private static func digest(_ text: String) -> String {
    String(CacheKey.digest([Data(text.utf8)]).prefix(32))
  }
}

/// The start of a file: `ErrandC1`, the head's length and checksum, the body's length and checksum.
///
/// Each number is a little-endian integer of 8 bytes.
enum CacheFileHead {
  /// The length of this start in bytes.
  static let length = 8 + 4 * 8
  private static let mark = Data("ErrandC1".utf8)

  static func bytes(_ key: CacheKey, response: CachedResponse) -> Data {
    let text = Data((key.url + "\n" + key.partition).utf8)
    return number(UInt64(text.count)) + text + response.head
  }

  static func first(_ head: Data, bodyLength: Int64, bodySum: CacheSum) -> Data {
    mark + number(UInt64(head.count)) + number(CacheSum(head).written) + number(UInt64(max(0, bodyLength)))
      + number(bodySum.written)
  }

  static func read(_ data: Data) -> (head: (length: Int, sum: UInt64), body: (length: Int, sum: UInt64))? {
    guard data.count >= length, data.prefix(8) == mark else { return nil }
    let numbers = (0..<4).map { number(in: data.dropFirst(8 + 8 * $0)) }
    guard let head = Int(exactly: numbers[0]), let body = Int(exactly: numbers[2]), head <= 1 << 24,
      body <= 1 << 50
    else { return nil }
    return ((head, numbers[1]), (body, numbers[3]))
  }

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

/// A checksum against damage, not against forgery.
struct CacheSum: Sendable {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325
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

  private var finished: UInt64 {
    var copy = self
    for byte in rest { copy.mix(UInt64(byte)) }
    copy.mix(total)
    return copy.value
  }

  func isSame(as written: UInt64) -> Bool { finished == written }

  var written: UInt64 { finished }
}

import ErrandJSON
import Foundation
import Testing

@testable import Errand
@testable import ErrandHARFormat
@testable import ErrandLogs

@Suite("A growing HAR file")
struct HAROutputTests {
  let folder = TemporaryDirectory()
  var file: URL { folder.url.appendingPathComponent("session.har") }
  let files = FileManager.default

  static func entry(_ url: String) throws -> HAREntry {
    let request = HTTPRequest(url: try #require(URL(string: url)))
    let exchange = HARExchange(
      request: request, requestBody: Data(), head: HTTPResponse(), body: Data(), summary: TransportSummary(),
      isWhole: true, times: nil)
    return HAREntry(exchange, redaction: .standard)
  }

  func content() throws -> [String] {
    struct File: Decodable {
      struct Log: Decodable { var comment: String? }
      var log: Log
    }
    let data = try Data(contentsOf: file)
    let urls = try JSONCoding().decode(HARFile.self, from: data).log.entries.map(\.request.url)
    return urls + [try JSONCoding().decode(File.self, from: data).log.comment].compactMap { $0 }
  }

  func rights(_ url: URL) throws -> Int? {
    try files.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  static func reason(_ output: inout HAROutput) -> String? {
    do throws(TransportError) {
      try output.append([], dropped: 0)
      return nil
    } catch {
      return error.message.components(separatedBy: "cannot be written: ").last
    }
  }

  @Test(
    "A file readable by others is replaced by a private file, and open readers keep the old file"
  )
  func others() throws {
    _ = files.createFile(
      atPath: file.path, contents: Data("old".utf8), attributes: [.posixPermissions: 0o644])
    let reader = try FileHandle(forReadingFrom: file)
    var output = HAROutput(file)
    try output.append([Self.entry("https://a/1")], dropped: 0)
    #expect(try rights(file) == 0o600)
    #expect(try content() == ["https://a/1"])
    #expect(try reader.readToEnd() == Data("old".utf8))
    #expect(try files.contentsOfDirectory(atPath: folder.url.path) == ["session.har"])
  }

  @Test("A link, a pipe and a directory are refused, and a link's target stays")
  func links() throws {
    let other = folder.url.appendingPathComponent("precious")
    try Data("precious".utf8).write(to: other)
    try files.createSymbolicLink(at: file, withDestinationURL: other)
    var output = HAROutput(file)
    #expect(Self.reason(&output) == "the path is a link, which may lead to a file of another user")
    #expect(try Data(contentsOf: other) == Data("precious".utf8))
    try files.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(Self.reason(&output) == "the path is not a regular file")
    try files.removeItem(at: file)
    try files.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(Self.reason(&output) == "Is a directory")
    try files.removeItem(at: file)
    #expect(Self.reason(&output) == nil)
    #expect(try content() == [])
  }

  @Test("A deleted, moved or emptied file is restarted, and a replacement stays")
  func gone() throws {
    var output = HAROutput(file)
    try output.append([Self.entry("https://a/1")], dropped: 0)
    try files.removeItem(at: file)
    try output.append([Self.entry("https://a/2")], dropped: 0)
    #expect(try content() == ["https://a/2"])
    try files.moveItem(at: file, to: folder.url.appendingPathComponent("older.har"))
    try output.append([Self.entry("https://a/3")], dropped: 0)
    #expect(try content() == ["https://a/3"])
    #expect(truncate(file.path, 0) == 0)
    try output.append([Self.entry("https://a/4")], dropped: 0)
    try output.append([Self.entry("https://a/5")], dropped: 0)
    #expect(try content() == ["https://a/4", "https://a/5"])
    try files.removeItem(at: file)
    try Data("mine".utf8).write(to: file)
    #expect(Self.reason(&output) == "another file has replaced the HAR file")
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    try files.removeItem(at: folder.url)
    try output.append([Self.entry("https://a/6")], dropped: 3)
    #expect(try content() == ["https://a/6", "Dispatches left out: 3."])
  }

  @Test("A file in use by another writer is refused until the writer ends")
  func two() throws {
    var first: HAROutput? = HAROutput(file)
    try first?.append([Self.entry("https://a/1")], dropped: 0)
    var second = HAROutput(file)
    #expect(Self.reason(&second) == "another HARLogger writes to the file")
    #expect(try content() == ["https://a/1"])
    first = nil
    #expect(Self.reason(&second) == nil)
    #expect(try content() == [])
  }

  /// With room for a file of a given number of bytes.
  final class Disk: Sendable {
    let room: Locked<Int64>
    init(room: Int64) { self.room = Locked(room) }

    func write(
      _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int64
    ) -> (count: Int, code: Int32) {
      let left = Int(max(0, room.withLock { $0 } - offset))
      if left == 0 { return (-1, ENOSPC) }
      return GrowingFile.system(
        descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(left)), offset)
    }
  }

  @Test("A full disk leaves the file unchanged, with the count of missing dispatches")
  func full() throws {
    let disk = Disk(room: 100)
    var output = HAROutput(file, write: disk.write)
    #expect(throws: TransportError.self) { try output.append([Self.entry("https://a/1")], dropped: 0) }
    #expect(try files.contentsOfDirectory(atPath: folder.url.path) == [])
    disk.room.withLock { $0 = 1_000 }
    try output.append([Self.entry("https://a/2")], dropped: 1)
    let length = try Data(contentsOf: file).count
    disk.room.withLock { $0 = Int64(length) }
    for lost in 1...3 {
      #expect(throws: TransportError.self) { try output.append([Self.entry("https://a/3")], dropped: lost) }
      #expect(try content() == ["https://a/2", "Dispatches left out: \(lost)."])
      try output.append([], dropped: lost + 1)
      #expect(try content() == ["https://a/2", "Dispatches left out: \(lost + 1)."])
      #expect(try Data(contentsOf: file).count == length)
    }
    disk.room.withLock { $0 = 10_000 }
    try output.append([Self.entry("https://a/4")], dropped: 4)
    #expect(try content() == ["https://a/2", "https://a/4", "Dispatches left out: 4."])
  }

  @Test("The file reports unwritten dispatches at once, and flush the reason")
  func counted() async throws {
    let disk = Disk(room: 1_000)
    let writer = HARWriter(HAROutput(file, write: disk.write), capacity: 10)
    let entry = try Self.entry("https://a/1")
    writer.add { [entry] }
    try await writer.flush()
    disk.room.withLock { [file] room in room = Int64((try? Data(contentsOf: file).count) ?? 0) }
    for lost in 1...2 {
      writer.add { [entry] }
      let error = await #expect(throws: TransportError.self) { try await writer.flush() }
      #expect(error?.message.hasSuffix("No space left on device") == true)
      #expect(writer.droppedCount == lost)
      #expect(try content() == ["https://a/1", "Dispatches left out: \(lost)."])
    }
  }
}

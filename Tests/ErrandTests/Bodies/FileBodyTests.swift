import ErrandJSON
import Foundation
import Testing

@testable import Errand

@Suite("A file as a body")
struct FileBodyTests {
  let folder: TemporaryDirectory

  init() { folder = TemporaryDirectory() }

  private func prepared(_ file: URL) throws -> RequestBody {
    try RequestBody.file(file).prepared { JSONCoding() }
  }

  private func reader(of body: RequestBody) throws -> BodyStream.Iterator {
    guard case .stream(let stream, _) = body.content else { throw Refusal("no stream") }
    return stream.makeAsyncIterator()
  }

  @Test("A file body has its length, its type, is replayable, and prints no path")
  func kind() throws {
    let body = RequestBody.file(try folder.file("Me.JPG", "12345"))
    #expect(body.length == 5 && body.contentType == "image/jpeg" && body.isReplayable && !body.isEmpty)
    #expect(body.data == nil)
    #expect("\(body)" == #"file "Me.JPG", 5 bytes"#)
    var dumped = ""
    dump(body, to: &dumped)
    #expect(dumped == "▿ file \"Me.JPG\", 5 bytes\n  - \"file \\\"Me.JPG\\\", 5 bytes\"\n")
    #expect(RequestBody.file(folder.url.appendingPathComponent("a"), contentType: "x/y").contentType == "x/y")
    let missing = RequestBody.file(folder.url.appendingPathComponent("none"))
    #expect(missing.length == nil && "\(missing)" == #"file "none", which cannot be read"#)
  }

  @Test(
    "A file body is read in pieces of 64 KiB, from the start each time",
    arguments: [0, 1, 65_536, 65_537, 200_000])
  func pieces(_ length: Int) async throws {
    let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let body = try prepared(try folder.file("a.bin", bytes))
    #expect(body.length == Int64(length))
    for _ in 1...2 {
      var reader = try reader(of: body)
      var (whole, sizes) = (Data(), [Int]())
      while let piece = try await reader.next() {
        whole += piece
        sizes.append(piece.count)
      }
      #expect(whole == bytes)
      #expect(sizes.dropLast().allSatisfy { $0 == 65_536 } && sizes.count == (length + 65_535) / 65_536)
    }
  }

  static let unfit: [(String, @Sendable (URL) throws -> URL)] = [
    ("does not exist", { $0.appendingPathComponent("none") }),
    ("does not exist", { $0.appendingPathComponent("file/none") }),
    ("is a directory", { $0 }),
    ("is a FIFO, which has no length", { $0.appendingPathComponent("fifo") }),
    ("is a device or a socket, which has no length", { _ in URL(fileURLWithPath: "/dev/zero") }),
    ("has a NUL in the path", { try #require(URL(string: "\($0.absoluteString)file%00.jpg")) }),
  ]

  @Test(
    "An unreadable file is refused during the build, and nothing is sent",
    arguments: unfit.indices)
  func refused(_ index: Int) async throws {
    let (clause, place) = Self.unfit[index]
    _ = try folder.file("file", "x")
    #expect(mkfifo(folder.url.appendingPathComponent("fifo").path, 0o600) == 0)
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let url = try place(folder.url)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.put("x", body: .file(url)))
    }
    #expect(error.kind == .encoding && error.stage == .build && transport.requests.isEmpty)
    #expect(error.reason.hasPrefix("the file ") && error.reason.hasSuffix(clause))
  }

  @Test("A file without read permission, and a URL that is not a file URL, are refused")
  func unreadable() async throws {
    let agent = RequestAgent(baseURL: "http://a", transport: FunctionTransport())
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.put("x", body: .file(#require(URL(string: "https://a/b.txt")))))
    }
    #expect(error.reason == "the URL of the body's file is not a file URL")
    // The superuser can read every file.
    guard getuid() != 0 else { return }
    let file = try folder.file("x", "x")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
    let refusal = try await #require(throws: RequestError.self) {
      try await agent.send(.put("x", body: .file(file)))
    }
    #expect(refusal.reason.hasSuffix("cannot be read: permission denied"))
  }

  static let changes: [(String, @Sendable (URL) throws -> Void)] = [
    (
      "was cut from 200000 to 100000 bytes before the whole file was sent",
      { try FileChange.cut($0, to: 100_000) }
    ),
    ("was cut from 200000 to 0 bytes before the whole file was sent", { try FileChange.cut($0, to: 0) }),
    (
      "grew from 200000 to 200001 bytes before the whole file was sent",
      { try FileChange.append(Data([1]), to: $0) }
    ),
    ("was changed before the whole file was sent", { try FileChange.overwrite($0, with: Data([1])) }),
  ]

  @Test(
    "A file changed after the build is an error, before and after its first piece",
    arguments: changes.indices, [0, 1, 2])
  func changed(_ index: Int, after count: Int) async throws {
    let (clause, change) = Self.changes[index]
    let file = try folder.file("a.bin", Data(count: 200_000))
    var reader = try reader(of: try prepared(file))
    for _ in 0..<count { _ = try await reader.next() }
    try change(file)
    let error = await #expect(throws: TransportError.self) {
      while try await reader.next() != nil {}
    }
    #expect(error == TransportError(.encoding, "the file \(file.path) \(clause)"))
  }

  @Test("A replaced file is an error", arguments: [0, 1, 3])
  func replaced(after count: Int) async throws {
    let file = try folder.file("a.bin", Data(count: 200_000))
    var reader = try reader(of: try prepared(file))
    for _ in 0..<count { _ = try await reader.next() }
    // A replaced file with the same bytes is a different file.
    try FileManager.default.moveItem(
      at: try folder.file("b", Data(count: 200_000)), to: folder.url.appendingPathComponent("c"))
    #expect(rename(folder.url.appendingPathComponent("c").path, file.path) == 0)
    let error = await #expect(throws: TransportError.self) {
      while try await reader.next() != nil {}
    }
    #expect(error == TransportError(.encoding, "the file \(file.path) was replaced by another file"))
  }

  @Test("A file removed during sending is sent completely, because its bytes still exist")
  func removed() async throws {
    let file = try folder.file("a.bin", Data(count: 200_000))
    var reader = try reader(of: try prepared(file))
    var count = try await reader.next()?.count ?? 0
    try FileManager.default.removeItem(at: file)
    while let piece = try await reader.next() { count += piece.count }
    #expect(count == 200_000)
  }

  @Test(
    "A system file with a reported length of 0 and actual bytes is an error, not an empty body",
    .enabled(if: Platform.name == "Linux", "the file is one of Linux"))
  func untrue() async throws {
    var reader = try reader(of: try prepared(URL(fileURLWithPath: "/proc/self/status")))
    let error = await #expect(throws: TransportError.self) { _ = try await reader.next() }
    #expect(
      error?.message == "the file /proc/self/status returned more or fewer bytes than its length of 0 bytes")
  }
}

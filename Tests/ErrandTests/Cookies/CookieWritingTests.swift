import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Writing of a cookie file beside requests", .timeLimit(.minutes(5)))
struct CookieWritingTests {
  private let folder = TemporaryDirectory()
  private var url: URL { folder.url.appendingPathComponent("cookies.txt") }

  /// The store saves only on demand.
  private let never = Duration.seconds(86_400)

  private func pairs() throws -> [String] { try CookieStore(file: url).all.map(\.pair).sorted() }

  private func fullStore(_ file: CookieFile) throws -> CookieStore {
    let store = try CookieStore(file, delay: never)
    for number in 0..<CookieJar.limit {
      let domain = "d\(number / CookieJar.domainLimit).example"
      let expires = Date(timeIntervalSince1970: 4_102_444_800)
      store.set(try #require(Cookie(name: "c\(number)", value: "v", domain: domain, expires: expires)))
    }
    return store
  }

  /// As held by another process.
  private final class HeldLock {
    private let descriptor: Int32

    init(_ folder: URL) throws {
      descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
      try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
  }

  @Test("Responses that set cookies do not wait for another process with the folder's lock")
  func lockedFolder() async throws {
    let store = try CookieStore(CookieFile(url), delay: never)
    var configuration = AgentConfiguration()
    configuration.cookies = store
    let agent = RequestAgent.mocked(
      by: MockTransport { .text("ok").header("Set-Cookie", "c\($0.number)=1; Max-Age=600") },
      configuration: configuration)
    let lock = try HeldLock(folder.url)
    for _ in 1...10 { _ = try await agent.send(OneOffRequest<String>.get("x", as: String.self)) }
    #expect(store.fileProblem == nil && store.all.count == 10)
    #expect(try folder.files == [])
    let error = await #expect(throws: FileError.self) { try await store.save() }
    #expect(error?.reason == "is being written by another process" && store.fileProblem == error)
    lock.release()
    try await store.save()
    #expect(store.fileProblem == nil)
    #expect(try pairs() == (1...10).map { "c\($0)=1" }.sorted())
  }

  @Test("A file behind a link is locked and replaced at its target")
  func linkedFile() async throws {
    let (links, files) = (
      folder.url.appendingPathComponent("links"), folder.url.appendingPathComponent("files")
    )
    for folder in [links, files] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }
    let (link, file) = (links.appendingPathComponent("a.txt"), files.appendingPathComponent("b.txt"))
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "../files/b.txt")
    let store = try CookieStore(CookieFile(link), delay: never)
    let place = try #require(URL(string: "https://www.example.com/"))
    store.take(["Set-Cookie": "a=1; Max-Age=600"], from: place, now: Date())
    let lock = try HeldLock(files)
    let error = await #expect(throws: FileError.self) { try await store.save() }
    #expect(error?.reason == "is being written by another process" && error?.path == link.path)
    lock.release()
    let other = try HeldLock(links)
    try await store.save()
    other.release()
    #expect(try CookieStore(file: file).all.map(\.pair) == ["a=1"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "../files/b.txt")
    // Loads cookies that another store has not yet saved, also through a link.
    store.take(["Set-Cookie": "b=2; Max-Age=600"], from: place, now: Date())
    let folderLink = folder.url.appendingPathComponent("folder")
    try FileManager.default.createSymbolicLink(atPath: folderLink.path, withDestinationPath: "files")
    let latest = try CookieStore(file: folderLink.appendingPathComponent("b.txt"))
    #expect(latest.all.map(\.pair) == ["a=1", "b=2"])
  }

  @Test(
    "Stores written in sequence share a time limit for locks, and try each lock once afterwards"
  )
  func sharedPatience() throws {
    let file = try CookieFile(url)
    let place = try #require(URL(string: "https://www.example.com/"))
    let stores = try (1...5).map { _ in try CookieStore(CookieFile(url), delay: never) }
    for (number, store) in stores.enumerated() {
      store.take(["Set-Cookie": "c\(number)=1; Max-Age=600"], from: place, now: Date())
    }
    let lock = try HeldLock(folder.url)
    let deadline = LockDeadline(.zero)
    UnwrittenCookies.write(for: file, within: deadline)
    #expect(
      stores.map { $0.fileProblem?.reason }
        == Array(repeating: "is being written by another process", count: 5))
    lock.release()
    UnwrittenCookies.write(for: file, within: deadline)
    #expect(stores.allSatisfy { $0.fileProblem == nil })
    #expect(try pairs() == (0..<5).map { "c\($0)=1" })
  }

  @Test("Many changes are written together, and merged with another process's changes")
  func once() async throws {
    let file = try CookieFile(url)
    let store = try CookieStore(file, delay: never)
    let other = try CookieStore(CookieFile(url), delay: never)
    let place = try #require(URL(string: "https://www.example.com/"))
    for round in 1...1000 {
      store.take(["Set-Cookie": "c\(round % 7)=\(round); Max-Age=600"], from: place, now: Date())
    }
    #expect(file.work == CookieFile.Work(readLines: 1))
    other.take(["Set-Cookie": "other=1; Max-Age=600"], from: place, now: Date())
    try await other.save()
    try await store.save()
    #expect(file.work.writings == 1)
    #expect(
      try pairs() == (994...1000).map { "c\($0 % 7)=\($0)" }.sorted() + ["other=1"])
    #expect(store.all.map(\.pair).contains("other=1"))
    // Nothing changed since the last save.
    try await store.save()
    #expect(file.work.writings == 1)
  }

  @Test("A rolling session in a full store costs a line, not the whole file")
  func rolling() async throws {
    let file = try CookieFile(url)
    let store = try fullStore(file)
    try await store.save()
    #expect(file.work == CookieFile.Work(readLines: 1, writtenLines: 3000, writings: 1))
    let place = try #require(URL(string: "https://d7.example/"))
    for round in 1...20 {
      store.take(["Set-Cookie": "c350=\(round); Max-Age=600; Secure; Path=/"], from: place, now: Date())
      try await store.save()
    }
    #expect(file.work == CookieFile.Work(readLines: 1, writtenLines: 3020, writings: 21))
    #expect(try pairs().count == 3000 && pairs().contains("c350=20"))
    // The store reads the file again only after another store has written the file.
    let other = try CookieStore(CookieFile(url), delay: never)
    other.set(try #require(Cookie(name: "c0", value: "w", domain: "d0.example", expires: .distantFuture)))
    try await other.save()
    store.take(["Set-Cookie": "c350=21; Max-Age=600; Secure; Path=/"], from: place, now: Date())
    try await store.save()
    #expect(file.work.readLines == 1 + 3002 && file.work.writings == 22)
    #expect(store.all.first?.pair == "c0=w")
  }

  @Test("A change is written automatically, also after the release of its store")
  func byItself() async throws {
    let place = try #require(URL(string: "https://www.example.com/"))
    for round in 1...3 {
      var store: CookieStore? = try CookieStore(CookieFile(url), delay: .milliseconds(1))
      store?.take(["Set-Cookie": "a=\(round); Max-Age=600"], from: place, now: Date())
      if round > 1 { store = nil }
      let line = "\ta\t\(round)\n"
      await until { (try? String(contentsOf: url, encoding: .utf8))?.hasSuffix(line) == true }
      store = nil
    }
  }

  @Test("A new store starts with the unwritten changes of other stores in the process")
  func nextStore() throws {
    let place = try #require(URL(string: "https://www.example.com/"))
    do {
      let store = try CookieStore(CookieFile(url), delay: never)
      store.take(["Set-Cookie": "a=1; Max-Age=600"], from: place, now: Date())
    }
    #expect(try folder.files == [])
    #expect(try CookieStore(file: url).all.map(\.pair) == ["a=1"])
  }

  @Test("Removed cookies stay removed, even if the first write fails")
  func cleared() async throws {
    let (one, two) = (
      try CookieStore(CookieFile(url), delay: never), try CookieStore(CookieFile(url), delay: never)
    )
    let place = try #require(URL(string: "https://www.example.com/"))
    two.take(["Set-Cookie": "a=1; Max-Age=600"], from: place, now: Date())
    try await two.save()
    let lock = try HeldLock(folder.url)
    one.removeAll()
    await #expect(throws: FileError.self) { try await one.save() }
    lock.release()
    one.take(["Set-Cookie": "b=2; Max-Age=600"], from: place, now: Date())
    try await one.save()
    #expect(try pairs() == ["b=2"])
  }

  @Test("A write that was running during removeAll adopts no cookies of other processes")
  func clearedDuringWrite() throws {
    let expires = Date(timeIntervalSinceNow: 600)
    let other = try #require(Cookie(name: "a", value: "1", domain: "www.example.com", expires: expires))
    var jar = CookieJar(keepsSessions: false)
    jar.set(other, now: Date())
    let version = jar.version
    jar.removeAll()
    jar.note(.success(CookieFile.Changes(added: [other])), version: version, own: [])
    #expect(jar.cookies(now: Date()) == [])
    #expect(jar.isCleared && jar.isUnwritten)
  }

  @Test("A process that exits after its last response has written its cookies")
  func atExit() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
    ) {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "errand-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var configuration = AgentConfiguration()
      let url = folder.appendingPathComponent("cookies.txt")
      configuration.cookies = try CookieStore(CookieFile(url), delay: .seconds(86_400))
      let agent = RequestAgent.mocked(
        by: MockTransport { _ in .text("ok").header("Set-Cookie", "a=1; Max-Age=600") },
        configuration: configuration)
      _ = try await agent.send(OneOffRequest<String>.get("x", as: String.self))
      FileHandle.standardOutput.write(Data("<<\(url.path)>>".utf8))
      exit(7)
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let path = try #require(output.split(separator: "<<").last?.split(separator: ">>").first)
    let folder = URL(fileURLWithPath: String(path)).deletingLastPathComponent()
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try CookieStore(file: URL(fileURLWithPath: String(path))).all.map(\.pair) == ["a=1"])
  }

  @Test("A request only reads the cookies of its host's domains")
  func domains() throws {
    func domains(_ text: String) throws -> [String] {
      let url = try #require(URL(string: text))
      return try #require(CookieOrigin(url)).domains
    }
    #expect(try domains("https://a.b.example/x") == ["a.b.example", "b.example", "example"])
    #expect(try domains("https://127.0.0.1/x") == ["127.0.0.1"])
    #expect(try domains("https://[::1]/x") == ["[::1]"])
    #expect(try domains("https://localhost/x") == ["localhost"])
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("A file of cookies")
struct CookieFileTests {
  private let folder = TemporaryDirectory()
  private var file: URL { folder.url.appendingPathComponent("cookies.txt") }

  /// Waits until the store has saved the cookies or failed.
  private func set(
    _ fields: [String], in store: CookieStore, at place: String = "https://www.example.com/a/"
  ) async throws {
    var headers = HTTPHeaders()
    for field in fields { headers.add("Set-Cookie", field) }
    store.take(headers, from: try #require(URL(string: place)), now: Date())
    try? await store.save()
  }

  @Test("The file outlives the store in curl's format, private to its owner, without session cookies")
  func persistent() async throws {
    let store = try CookieStore(file: file)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    let end = "Expires=Fri, 01 Jan 2038 00:00:00 GMT"
    let cap = Int(Date().addingTimeInterval(400 * 86_400).timeIntervalSince1970)
    try await set(
      ["a=1; \(end); HttpOnly", "b=2; Domain=example.com; Secure; \(end); Path=/", "session=3"], in: store)
    #expect(store.fileProblem == nil)
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(lines.count == 3 && lines[0] == ["# Netscape HTTP Cookie File"])
    #expect(lines[1].prefix(4) == ["#HttpOnly_www.example.com", "FALSE", "/a", "FALSE"])
    #expect(lines[2].prefix(4) == [".example.com", "TRUE", "/", "TRUE"])
    #expect(lines.dropFirst().map { $0.suffix(2).joined(separator: "=") } == ["a=1", "b=2"])
    let ends = lines.dropFirst().compactMap { Int($0[4]) }
    #expect(ends.allSatisfy { abs($0 - cap) < 60 })
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names == ["cookies.txt"])

    let later = try CookieStore(file: file)
    #expect(later.all.map(\.pair) == ["a=1", "b=2"])
    #expect(later.all.map(\.isHTTPOnly) == [true, false] && later.all.map(\.isHostOnly) == [true, false])
    later.removeAll()
    try await later.save()
    #expect(try CookieStore(file: file).all == [])
  }

  @Test("The file can keep session cookies, and an unchanged store writes nothing")
  func sessions() async throws {
    let store = try CookieStore(file: file, keepsSessionCookies: true)
    try await set(["session=3"], in: store)
    #expect(try CookieStore(file: file).all.map(\.pair) == ["session=3"])
    try FileManager.default.removeItem(at: file)
    try await set(["session=3"], in: store)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try await set(["session=4"], in: store)
    #expect(try CookieStore(file: file).all.map(\.pair) == ["session=4"])
  }

  @Test("A removed or changed session cookie of the file does not return from the file")
  func fileSessions() async throws {
    try await set(["session=3", "other=3"], in: try CookieStore(file: file, keepsSessionCookies: true))
    let store = try CookieStore(file: file)
    try await set(["session=; Max-Age=0", "other=4"], in: store)
    #expect(try CookieStore(file: file).all.map(\.pair) == ["other=4"])
  }

  @Test("Files written by curl are read, and invalid lines are skipped")
  func foreign() async throws {
    let text = """
      # Netscape HTTP Cookie File
      # https://curl.se/docs/http-cookies.html

      .example.com\tTRUE\t/\tFALSE\t4102444800\ta\t1
      #HttpOnly_www.example.com\tFALSE\t/x\tTRUE\t0\tb\t\r
      example.com\tFALSE\t/\tFALSE\t1\tended\t1
      example.com\tFALSE\t/\tFALSE\tsoon\tc\t1
      example.com\tFALSE\tno path\tFALSE\t0\tc\t1
      example.com\tFALSE\t/\tFALSE\t0\tseven\tcolumns\tand one
      \tFALSE\t/\tFALSE\t0\td\t1
      """
    let store = CookieStore()
    store.read(netscapeText: text)
    #expect(store.all.map(\.pair) == ["a=1", "b="])
    #expect(
      store.netscapeText == """
        # Netscape HTTP Cookie File
        .example.com\tTRUE\t/\tFALSE\t4102444800\ta\t1
        #HttpOnly_www.example.com\tFALSE\t/x\tTRUE\t0\tb\t\n
        """)
  }

  @Test("A read error is thrown, and a write error is reported and kept")
  func problems() async throws {
    let error = try #require(throws: FileError.self) { try CookieStore(file: folder.url) }
    #expect(error.reason == "is not a file URL" || error.reason == "is a directory")
    let web = try #require(URL(string: "https://example.com/a"))
    #expect(
      "\(try #require(throws: FileError.self) { try CookieStore(file: web) })"
        == "https://example.com/a is not a file URL")
    let nowhere = folder.url.appendingPathComponent("missing/cookies.txt")
    let store = try CookieStore(file: nowhere)
    try await set(["a=1; Max-Age=6000"], in: store)
    #expect(store.fileProblem?.reason == "cannot be written: No such file or directory")
    #expect(store.all.map(\.pair) == ["a=1"])
    try FileManager.default.createDirectory(
      at: nowhere.deletingLastPathComponent(), withIntermediateDirectories: true)
    try await set(["b=2; Max-Age=6000"], in: store)
    #expect(store.fileProblem == nil)
    #expect(try CookieStore(file: nowhere).all.map(\.pair) == ["a=1", "b=2"])
  }

  @Test("Two stores with the same file merge their changes")
  func two() async throws {
    let (one, two) = (try CookieStore(file: file), try CookieStore(file: file))
    func written() throws -> [String] { try CookieStore(file: file).all.map(\.pair).sorted() }
    try await set(["a=1; Max-Age=6000", "b=1; Max-Age=6000"], in: one)
    try await set(["c=2; Max-Age=6000"], in: two)
    #expect(try written() == ["a=1", "b=1", "c=2"])
    #expect(two.all.map(\.pair).sorted() == ["a=1", "b=1", "c=2"])
    // The last change of a cookie wins. A deleted cookie stays deleted.
    try await set(["a=3; Max-Age=6000", "b=; Max-Age=0"], in: two)
    try await set(["d=4; Max-Age=6000"], in: one)
    #expect(try written() == ["a=3", "c=2", "d=4"])
    #expect(one.all.map(\.pair).sorted() == ["a=3", "c=2", "d=4"])
    try await set(["a=5; Max-Age=6000"], in: one)
    try await set(["a=6; Max-Age=6000"], in: two)
    #expect(try written() == ["a=6", "c=2", "d=4"])
    try await set(["e=5; Max-Age=6000"], in: two)
    one.removeAll()
    try await one.save()
    #expect(try written() == [] && one.all.isEmpty)
    try await set(["f=6; Max-Age=6000"], in: two)
    #expect(try written() == ["f=6"] && two.all.map(\.pair) == ["f=6"])
  }

  @Test("Session cookies kept by another process stay in the file and in their store")
  func othersSessions() async throws {
    let keeping = try CookieStore(file: file, keepsSessionCookies: true)
    try await set(["sid=1", "a=1; Max-Age=6000"], in: keeping)
    let other = try CookieStore(file: file)
    try await set(["b=2; Max-Age=6000", "own=3"], in: other)
    #expect(try CookieStore(file: file).all.map(\.pair).sorted() == ["a=1", "b=2", "sid=1"])
    try await set(["c=4; Max-Age=6000"], in: keeping)
    #expect(keeping.all.map(\.pair).sorted() == ["a=1", "b=2", "c=4", "sid=1"])
    #expect(other.all.map(\.pair).sorted() == ["a=1", "b=2", "own=3", "sid=1"])
  }

  @Test("A file without cookies is an error, and is not overwritten")
  func stray() async throws {
    let texts = [
      ("this is no cookie file\n<html>", 1), ("# x\n\na\tTRUE\t/\n", 3), ("\0\u{1}", 1),
      ("#!/bin/sh\n# x\n", 1),
      ("# Cookies\na\tb\tc\td\te\tf\tg\n", 2), ("a.example\tTRUE\t/\tTRUE\t1900000000.5\ta\t1\n", 1),
      ("#HttpOnly_a\n", 1), ("a.example\tFALSE\t/\tFALSE\t0\t__Secure-x\t1\n", 1),
      ("a.example\tFALSE\t/\tTRUE\t0\tx\t\(String(repeating: "v", count: 5000))\n", 1),
    ]
    for (text, line) in texts {
      try Data(text.utf8).write(to: file)
      let error = try #require(throws: FileError.self) { try CookieStore(file: file) }
      #expect(error.reason == "is not a cookie file: line \(line) is not a cookie")
    }
    let store = try CookieStore(file: folder.url.appendingPathComponent("other.txt"))
    try await set(["a=1; Max-Age=6000"], in: store)
    try Data("a note\n".utf8).write(to: folder.url.appendingPathComponent("other.txt"))
    try await set(["b=1; Max-Age=6000"], in: store)
    #expect(store.fileProblem?.reason == "is not a cookie file: line 1 is not a cookie")
    #expect(
      try String(contentsOf: folder.url.appendingPathComponent("other.txt"), encoding: .utf8) == "a note\n")
    #expect(store.all.map(\.pair) == ["a=1", "b=1"])
  }

  @Test("Comments, blank lines and CRLF are skipped, and an incomplete line gives an error and no cookie")
  func oddLines() throws {
    let cookie = "#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\ta\t1"
    let text = "# Netscape HTTP Cookie File\r\n\t \r\n#HttpOnly\r\n#\r\n\(cookie)\r\n# end\r\n"
    try Data(text.utf8).write(to: file)
    let read = try CookieStore(file: file).all
    #expect(read.map(\.domain) == ["example.com"] && read.map(\.isHTTPOnly) == [true])
    let odd = [
      "example.com TRUE / TRUE 0 a 1", "\tTRUE\t/\tTRUE\t0\ta\t1", ".\tTRUE\t/\tTRUE\t0\ta\t1",
      "#HttpOnly_\tTRUE\t/\tTRUE\t0\ta\t1", "example.com\tTRUE\t/\tTRUE\t0\ta",
    ]
    for line in odd {
      try Data("# Netscape HTTP Cookie File\r\n\(line)\r\n".utf8).write(to: file)
      let error = try #require(throws: FileError.self) { try CookieStore(file: file) }
      #expect(error.reason == "is not a cookie file: line 2 is not a cookie")
      let store = CookieStore()
      store.read(netscapeText: line)
      #expect(store.all == [])
    }
  }

  @Test("The error about a URL of another kind hides the secrets of the URL")
  func secretURL() throws {
    let url = try #require(URL(string: "https://ada:hunter2@example.com/a?token=hunter2"))
    let error = try #require(throws: FileError.self) { try CookieStore(file: url) }
    #expect("\(error)" == "https://<redacted>@example.com/a?token=<redacted> is not a file URL")
    #expect(!error.path.contains("hunter2"))
  }

  @Test("No cookie of a server makes the file unreadable")
  func columns() async throws {
    let store = try CookieStore(file: file)
    try await set(
      ["a=1; Max-Age=6000; Path=/x\ty", "b=2; Max-Age=6000; Domain=example.com\t", "c=3; Max-Age=6000"],
      in: store)
    #expect(store.fileProblem == nil)
    #expect(try CookieStore(file: file).all.map(\.pair) == ["b=2", "c=3"])
  }

  @Test("A cookie with a tab is kept in memory only, and the replaced cookie leaves the file")
  func tabs() async throws {
    let store = try CookieStore(file: file, keepsSessionCookies: true)
    try await set(["a=1; Max-Age=6000", "b=2"], in: store)
    try await set(["a=1\t2; Max-Age=6000", "c\td=3", "e=4; Path=/x\ty"], in: store)
    #expect(store.fileProblem == nil)
    #expect(store.all.map(\.pair) == ["a=1\t2", "b=2", "c\td=3", "e=4"])
    #expect(try CookieStore(file: file).all.map(\.pair) == ["b=2"])
    #expect(store.netscapeText == "# Netscape HTTP Cookie File\nwww.example.com\tFALSE\t/a\tFALSE\t0\tb\t2\n")
    try await set(["a=5; Max-Age=6000"], in: store)
    #expect(try CookieStore(file: file).all.map(\.pair) == ["a=5", "b=2"])
  }

  @Test("Invalid UTF-8 stays unchanged in the file, also if written by curl")
  func foreignBytes() async throws {
    let line = Data("www.example.com\tFALSE\t/\tFALSE\t4102444800\tc\t".utf8) + [0xE9, 0xFF, 0x0A]
    let text = Data("www.example.com\tFALSE\t/\tFALSE\t4102444800\tu\té\n".utf8)
    let head = Data("# Netscape HTTP Cookie File\n".utf8)
    try (head + line + text).write(to: file)
    let store = try CookieStore(file: file)
    #expect(store.all.map(\.pair) == ["c=éÿ", "u=é"] && store.all.map(\.isLatin1) == [true, false])
    var headers = HTTPHeaders()
    headers.fields.append(
      HTTPHeaders.Field(
        name: "Set-Cookie", received: Array("d=".utf8) + [0xFF] + Array("t; Max-Age=60; Path=/".utf8)))
    store.take(headers, from: try #require(URL(string: "https://www.example.com/")), now: Date())
    try await store.save()
    let lines = try Data(contentsOf: file).split(separator: 0x0A)
    #expect(lines.count == 4 && lines[1] + [0x0A] == line && lines[2] + [0x0A] == text)
    #expect(lines[3].suffix(4) == Data([0x64, 0x09, 0xFF, 0x74]))
    #expect(
      try CookieStore(file: file).all.map { $0.bytes(of: $0.pair) } == store.all.map { $0.bytes(of: $0.pair) }
    )
    #expect(store.netscapeText == String(decoding: head + text, as: UTF8.self))
  }

  @Test("Flags count in any letter case, so Secure stays Secure")
  func flags() async throws {
    let store = CookieStore()
    store.read(
      netscapeText:
        "a.example\tfalse\t/\ttrue\t4102444800\ta\t1\n.b.example\ttrue\t/\tFalse\t4102444800\tb\t2\n")
    #expect(store.all.map(\.isSecure) == [true, false] && store.all.map(\.isHostOnly) == [true, false])
  }

  @Test("A dangling link stays a link, and its target is created")
  func danglingLink() async throws {
    let link = folder.url.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "cookies.txt")
    try await set(["a=1; Max-Age=6000"], in: try CookieStore(file: link))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "cookies.txt")
    #expect(try CookieStore(file: file).all.map(\.pair) == ["a=1"])
  }

  @Test("Eight writing threads leave a complete file")
  func threads() async throws {
    let store = try CookieStore(file: file)
    let place = try #require(URL(string: "https://www.example.com/"))
    await withTaskGroup { group in
      for thread in 0..<8 {
        group.addTask {
          for round in 0..<25 {
            store.take(["Set-Cookie": "c\(thread)=\(round); Max-Age=600"], from: place, now: Date())
          }
        }
      }
    }
    try await store.save()
    #expect(Set(try CookieStore(file: file).all.map(\.pair)) == Set((0..<8).map { "c\($0)=24" }))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["cookies.txt"])
  }
}

import Foundation
import Testing

@testable import Errand

@Suite("Private files")
struct PrivateFileTests {
  private let directory = TemporaryDirectory()

  private func link(_ name: String, to target: String) throws -> String {
    let path = directory.url.appendingPathComponent(name).path
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    return path
  }

  @Test("A link of another user is not followed", .enabled(if: geteuid() == 0))
  func stranger() async throws {
    let victim = try directory.file("victim", "precious")
    let path = try link("link", to: victim.path)
    #expect(lchown(path, 65_534, 65_534) == 0)
    let written = Result { () throws(RegularFile.Problem) in try PrivateFile.write(Data(), to: path) }
    let removed = Result { () throws(RegularFile.Problem) in try PrivateFile.remove(path) }
    let refusal = RegularFile.Problem("is a link owned by another user, so the link is not followed")
    #expect(written.failure == refusal && removed.failure == refusal)
    let cookies = try CookieStore(file: URL(fileURLWithPath: try link("jar", to: "new")))
    #expect(lchown(directory.url.appendingPathComponent("jar").path, 65_534, 65_534) == 0)
    cookies.set(try #require(Cookie(name: "a", value: "1", domain: "a.example", expires: .distantFuture)))
    let error = await #expect(throws: FileError.self) { try await cookies.save() }
    #expect(error?.reason == refusal.clause)
    // Reading is refused too.
    let unread = #expect(throws: FileError.self) {
      try CookieStore(file: URL(fileURLWithPath: path))
    }
    #expect(unread?.reason == refusal.clause)
    let folder = directory.url.appendingPathComponent("link")
    let refused = #expect(throws: RequestError.self) { try DiskCache(directory: folder) }
    #expect(refused?.kind == .file)
    #expect(
      refused?.reason
        == "the cache directory \(folder.path) is a link owned by another user, so the link is not followed")
    #expect(try String(contentsOf: victim, encoding: .utf8) == "precious")
    #expect(try directory.files == ["jar", "link", "victim"])
  }

  @Test(
    "Links of the own user and of root are followed to a missing target, and other links and cycles are refused"
  )
  func links() throws {
    let end = directory.url.appendingPathComponent("end").path
    let path = try link("first", to: try link("second", to: "end"))
    #expect(try PrivateFile.target(of: path) == end && PrivateFile.target(of: end) == end)
    let other = geteuid() == 0 ? uid_t(65_534) : geteuid() + 1
    if geteuid() == 0 {
      #expect(try PrivateFile.target(of: path, for: other) == end)
    } else {
      #expect(throws: RegularFile.Problem("is a link owned by another user, so the link is not followed")) {
        try PrivateFile.target(of: path, for: other)
      }
    }
    var chain = "end"
    for number in 1...41 {
      chain = try link("\(number)", to: chain)
      if number == 40 { #expect(try PrivateFile.target(of: chain) == end) }
    }
    #expect(throws: RegularFile.Problem("leads through more than 40 links")) {
      try PrivateFile.target(of: chain)
    }
    let circle = try link("a", to: try link("b", to: "a"))
    #expect(throws: RegularFile.Problem("leads through more than 40 links")) {
      try PrivateFile.target(of: circle)
    }
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

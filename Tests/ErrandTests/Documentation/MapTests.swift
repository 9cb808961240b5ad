import Foundation
import Testing

@Suite("The map of the code")
struct MapTests {
  private static let sources = Compiler.root.appending(path: "Sources/Errand")

  private static func page(_ name: String) throws -> String {
    try String(contentsOf: sources.appending(path: "Errand.docc/\(name).md"), encoding: .utf8)
  }

  /// What stands in backquotes and is the path of a Swift file.
  private static func files(in text: String) -> [String] {
    let quoted = text.split(separator: "`" as Character).map { String($0) }
    return quoted.filter { $0.hasSuffix(".swift") && $0.contains("/") && !$0.contains(" ") }
  }

  /// The modules that left the core, whose paths begin with the name of the module.
  private static let modules = ["ErrandHARFormat", "ErrandLogs", "ErrandOAuth"]

  /// The paths of all Swift files below the rooms' folder, and of those of the other modules.
  private static func tree() throws -> [String] {
    let all =
      try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      + modules.flatMap { module in
        try FileManager.default.subpathsOfDirectory(atPath: folder(of: module).path).map { "\(module)/\($0)" }
      }
    return all.filter { $0.hasSuffix(".swift") }.sorted()
  }

  private static func folder(of module: String) -> URL { Compiler.root.appending(path: "Sources/\(module)") }

  private static func text(of file: String) throws -> String {
    let isCore = !modules.contains { file.hasPrefix("\($0)/") }
    let url = isCore ? sources.appending(path: file) : folder(of: file)
    return try String(contentsOf: url, encoding: .utf8)
  }

  @Test("The files that it names are there", arguments: ["TheMapOfTheCode", "Concurrency"])
  func files(page: String) throws {
    let named = Self.files(in: try Self.page(page))
    let tree = Set(try Self.tree())
    #expect(named.count > 10)
    #expect(named.filter { !tree.contains($0) } == [])
  }

  @Test("It has every room, and no other")
  func rooms() throws {
    let rows = try Self.page("TheMapOfTheCode").split(separator: "\n")
    let start = try #require(rows.firstIndex { $0.hasPrefix("## The rooms") })
    let end = try #require(rows.firstIndex { $0.hasPrefix("## The way") })
    let named = rows[start..<end].filter { $0.hasPrefix("| `") }.compactMap {
      $0.split(separator: "`").dropFirst().first
    }
    let rooms = Set(try Self.tree().map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    #expect(named.map(String.init).sorted() == rooms.sorted())
  }

  @Test("Tests stand in the rooms of what they test")
  func tests() throws {
    let tests = Compiler.root.appending(path: "Tests/ErrandTests")
    // Those of a module stand in a folder without the prefix: `OAuth`.
    let rooms = Set(
      try Self.tree().compactMap { path in
        path.split(separator: "/").first.map {
          Self.modules.contains(String($0)) ? $0.dropFirst("Errand".count) : $0
        }
      })
    let others: Set<Substring> = ["Documentation", "Integration"]
    let folders = Set(
      try FileManager.default.subpathsOfDirectory(atPath: tests.path).filter { $0.hasSuffix(".swift") }
        .compactMap { $0.split(separator: "/").first })
    #expect(folders.subtracting(rooms) == others)
  }

  @Test("Every file with state that is shared has its owner and guard in the table")
  func state() throws {
    let page = try Self.page("Concurrency")
    let start = try #require(page.range(of: "## Where mutable state lives")).upperBound
    let named = Set(Self.files(in: String(page[start...])))
    let shared = /^[^\/\n]*(= Locked[(<]|: Locked<|nonisolated\(unsafe\)|@unchecked Sendable|@exclusivity)/
      .anchorsMatchLineEndings()
    let holders = try Self.tree().filter { file in
      try Self.text(of: file).contains(shared)
    }
    #expect(holders.count > 30)
    #expect(holders.filter { !named.contains($0) } == [])
  }
}

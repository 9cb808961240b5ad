import Foundation
import Testing

@Suite("The map of the code")
struct MapTests {
  private static let sources = Compiler.root.appending(path: "Sources/Errand")

  private static func page(_ name: String) throws -> String {
    try String(contentsOf: sources.appending(path: "Errand.docc/\(name).md"), encoding: .utf8)
  }

  private static func files(in text: String) -> [String] {
    let quoted = text.split(separator: "`" as Character).map { String($0) }
    return quoted.filter { $0.hasSuffix(".swift") && $0.contains("/") && !$0.contains(" ") }
  }

  /// Outside the core; the paths of their files begin with the module.
  private static let modules = [
    "ErrandApps", "ErrandHARFormat", "ErrandLogs", "ErrandOAuth", "ErrandService", "ErrandTelemetry",
  ]

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

  @Test("The named files exist", arguments: ["TheMapOfTheCode", "Concurrency"])
  func files(page: String) throws {
    let named = Self.files(in: try Self.page(page))
    let tree = Set(try Self.tree())
    #expect(named.count > 10)
    #expect(named.filter { !tree.contains($0) } == [])
  }

  @Test("The map has exactly the existing rooms")
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

  private struct Call {
    let name: String
    let file: String

    /// `nil` if the file has no such function.
    func text() throws -> Substring? {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      guard let start = text.firstMatch(of: try Regex("\n  [^\n/]*func \(name)[<(]"))?.range.lowerBound
      else { return nil }
      return text[start...].split(separator: "\n  }\n", maxSplits: 1)[0]
    }
  }

  private static func calls(behind line: String) throws -> [Call] {
    let page = try page("TheMapOfTheCode")
    let start = try #require(page.range(of: line)).upperBound
    let rows = page[start...].split(separator: "\n\n")[0].split(separator: "\n")
    return rows.filter { $0.hasPrefix("| `") }.map { row in
      let quoted = row.split(separator: "`").map(String.init)
      return Call(name: quoted[1].split(separator: ".").last.map(String.init) ?? "", file: quoted[3])
    }
  }

  @Test("From `send` to the transport there are at most 7 calls in 6 files, each inside the previous call")
  func out() throws {
    let calls = try Self.calls(behind: "`MapTests` finds the calls in the sources:")
    #expect(calls.first?.file == "Agent/RequestAgent.swift" && calls.last?.name == "send")
    #expect((2...7).contains(calls.count) && Set(calls.map(\.file)).count <= 6)
    for (call, next) in zip(calls, calls.dropFirst()) {
      let text = try #require(try call.text(), "\(call.name) in \(call.file)")
      #expect(text.contains(try Regex("[ .]\(next.name)\\(")), "\(call.name) calls \(next.name)")
    }
  }

  @Test("Back to the value there are at most 6 changes of file, and an attempt runs the steps in order")
  func back() throws {
    let calls = try Self.calls(behind: "Back to the value there are six changes of file:")
    let changes = zip(calls, calls.dropFirst()).filter { $0.file != $1.file }.count
    #expect((1...6).contains(changes))
    for call in calls.dropFirst() { #expect(try call.text() != nil, "\(call.name) in \(call.file)") }

    let make = try #require(calls.first { $0.name == "makeAttempt" })
    var rest = try #require(try make.text())
    for name in ["send", "head", "body", "filter", "product", "close"] {
      #expect(calls.contains { $0.name == name })
      let step = try #require(rest.firstMatch(of: try Regex("[ .]\(name)\\(")), "\(name)")
      rest = rest[step.range.upperBound...]
    }
  }

  @Test("An output makes a product, and does not call the dispatch")
  func ends() throws {
    let file = try #require(try Self.tree().first { $0.hasSuffix("/DispatchOutput.swift") })
    let text = try String(contentsOf: Self.sources.appending(path: file), encoding: .utf8)
    #expect(!text.contains("sender") && !text.contains("receiver"))
  }

  @Test("Tests are in the rooms of the tested code")
  func tests() throws {
    let tests = Compiler.root.appending(path: "Tests/ErrandTests")
    // The tests of a module are in a folder without the prefix, such as `OAuth`.
    let rooms = Set(
      try Self.tree().compactMap { path in
        path.split(separator: "/").first.map {
          Self.modules.contains(String($0)) ? $0.dropFirst("Errand".count) : $0
        }
      })
    // Tests of `JSONValue` also test its place in errors and reports.
    let others: Set<Substring> = ["Documentation", "Integration", "JSON"]
    let folders = Set(
      try FileManager.default.subpathsOfDirectory(atPath: tests.path).filter { $0.hasSuffix(".swift") }
        .compactMap { $0.split(separator: "/").first })
    #expect(folders.subtracting(rooms) == others)
  }

  @Test("Every file with shared state has its owner and guard in the table")
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

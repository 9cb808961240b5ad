import Foundation
import Testing

@testable import Errand

/// Compares the public declarations with a reviewed list, one declaration a line.
@Suite("The public symbols", .enabled(if: Platform.name == "Linux", "the list has Linux's transport in it"))
struct PublicSymbolsTests {
  static let folder = Compiler.root.appendingPathComponent("Tests/ErrandTests/Documentation")

  @Test(
    "The symbols equal the list; ERRAND_WRITE_SYMBOLS=1 writes the list",
    arguments: [
      "Errand", "ErrandApps", "ErrandJSON", "ErrandLogs", "ErrandMocks", "ErrandOAuth", "ErrandService",
      "ErrandTelemetry", "ErrandTesting", "ErrandURLSession",
    ])
  func golden(_ module: String) async throws {
    let symbols = try await Self.symbols(of: module).joined(separator: "\n") + "\n"
    let list = Self.folder.appendingPathComponent("PublicSymbols-\(module).txt")
    if ProcessInfo.processInfo.environment["ERRAND_WRITE_SYMBOLS"] != nil {
      try symbols.write(to: list, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: list, encoding: .utf8)
    let (new, old) = (Set(symbols.split(separator: "\n")), Set(expected.split(separator: "\n")))
    #expect(new.subtracting(old).sorted() == [], "these are new")
    #expect(old.subtracting(new).sorted() == [], "these are gone")
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Fragment: Decodable { var spelling: String }
      var pathComponents: [String]
      var declarationFragments: [Fragment]
    }
    var symbols: [Symbol]
  }

  static func symbols(of module: String) async throws -> [String] {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent("symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: output) }
    let (status, message) = try await Compiler.run(
      "swift-symbolgraph-extract",
      [
        "-module-name", module, "-minimum-access-level", "public", "-skip-synthesized-members",
        "-skip-inherited-docs", "-output-dir", output.path, "-target", Compiler.target,
      ] + Compiler.modules)
    try #require(status == 0, "\(message)")
    let files = try FileManager.default.contentsOfDirectory(at: output, includingPropertiesForKeys: nil)
    return try files.flatMap { file in
      try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols.map { symbol in
        let declaration = symbol.declarationFragments.map(\.spelling).joined()
        let words = declaration.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(symbol.pathComponents.joined(separator: ".")): \(words)"
      }
    }.sorted()
  }
}

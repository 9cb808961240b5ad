import Foundation
import Testing

@testable import Errand

/// The compiler checks the samples of each page as one program.
@Suite("The samples of the documentation")
struct DocumentationSamplesTests {
  static let catalog = "Sources/Errand/Errand.docc"

  /// README, the articles with samples, and the landing pages of four products.
  static let pages =
    ["README.md"] + articles
    + ["ErrandApps", "ErrandLogs", "ErrandOAuth", "ErrandService", "ErrandTelemetry"].map {
      "Sources/\($0)/\($0).docc/\($0).md"
    }

  private static let articles: [String] = {
    let folder = Compiler.root.appendingPathComponent(catalog).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
      .filter { (try? blocks(of: $0))?.isEmpty == false }
  }()

  /// Models that every page assumes.
  static let prelude = """
    import Errand
    import Foundation
    struct User: Codable, Sendable { var id: Int; var name: String }
    struct AppError: Error {}

    """

  @Test("The samples compile without a warning", arguments: pages)
  func compiles(_ page: String) async throws {
    let (status, output) = try await Self.typecheck(Self.blocks(of: page))
    #expect(status == 0, "\(page):\n\(output)")
  }

  @Test(
    "The samples' types conform in extensions, where the compiler warns about near misses",
    arguments: pages)
  func extensions(_ page: String) throws {
    #expect(try SampleTypes(Self.blocks(of: page)).conformingWhereDeclared == [])
  }

  @Test("A hook with a nearly matching signature is found, in any kind of conformance")
  func nearHook() async throws {
    let hook = """
      func retryDecision(
        for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
      ) async throws -> RetryPolicy.Decision { .retry }
      """
    let inside = "struct AwaitReport: Request {\n  typealias Response = String\n\(hook)\n}"
    #expect(SampleTypes([inside]).conformingWhereDeclared == ["AwaitReport"])
    let apart =
      "struct AwaitReport {}\nextension AwaitReport: Request {\n  typealias Response = String\n\(hook)\n}"
    #expect(SampleTypes([apart]).conformingWhereDeclared == [])
    let (status, output) = try await Self.typecheck([apart])
    #expect(status != 0)
    #expect(
      output.contains(
        "instance method 'retryDecision(for:suggested:context:)' nearly matches defaulted requirement "
          + "'retryDecision(for:suggested:context:)' of protocol 'Request'"), "\(output)")
    let (fitting, _) = try await Self.typecheck([apart.replacing("async throws", with: "async")])
    #expect(fitting == 0)
  }

  @Test("A nearly matching stored property is found, even outside of an extension")
  func nearProperty() async throws {
    let sample = """
      struct GetTag { let tag = "a" }
      extension GetTag: Request { typealias Response = String }
      """
    let (status, output) = try await Self.typecheck([sample])
    #expect(status != 0)
    #expect(
      output.contains("cannot convert value of type 'Int.Type' to expected argument type 'String.Type'"),
      "\(output)")
    let (fitting, _) = try await Self.typecheck([sample.replacing(#""a""#, with: "7")])
    #expect(fitting == 0)
  }

  /// Adds a line for each stored property that may be a witness.
  private static func typecheck(_ blocks: [String]) async throws -> (Int32, String) {
    let exact = "func isWitness<Value>(_ value: inout Value, _ type: Value.Type) {}"
    let program = [prelude] + blocks + [exact] + SampleTypes(blocks).witnesses
    return try await Compiler.typecheck(program.joined(separator: "\n"))
  }

  @Test("Every page with samples is checked")
  func complete() {
    #expect(Self.pages.contains("README.md"))
    for article in ["GettingStarted", "OneProtocolPerService"] {
      #expect(Self.pages.contains("\(Self.catalog)/\(article).md"))
    }
  }

  @Test("The samples about MainActor default isolation compile in that mode, and not without nonisolated")
  func mainActorDefault() async throws {
    let page = try Self.text(of: "\(Self.catalog)/OneProtocolPerService.md")
    let sections = page.split(separator: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("In a module with MainActor") })
    let block = try #require(Self.swiftBlocks(in: String(section)).first)
    let isolation = ["-default-isolation", "MainActor"]
    let imports = "import Errand\nimport Foundation\n"
    let (status, output) = try await Compiler.typecheck(imports + block, isolation)
    #expect(status == 0, "\(output)")
    let changed = block.replacing("nonisolated ", with: "")
    #expect(try await Compiler.typecheck(imports + changed, isolation).0 != 0)
  }

  @Test("The samples for apps compile with MainActor default isolation, and not without nonisolated")
  func apps() async throws {
    let blocks = try Self.blocks(of: "\(Self.catalog)/Apps.md").joined(separator: "\n")
    let program = "import Errand\nimport Foundation\n" + blocks
    let isolation = ["-default-isolation", "MainActor"]
    let (status, output) = try await Compiler.typecheck(program, isolation)
    #expect(status == 0, "\(output)")
    let (changed, _) = try await Compiler.typecheck(program.replacing("nonisolated ", with: ""), isolation)
    #expect(changed != 0)
  }

  @Test("Recipes equal the files that are tested with their packages", arguments: recipes)
  func recipe(_ name: String) throws {
    let pages = ["HowDoI", "OtherPackages", "Telemetry"].map { "\(Self.catalog)/\($0).md" }
    let blocks = try pages.flatMap { Self.swiftBlocks(in: try Self.text(of: $0)) }
    #expect(blocks.contains(try Self.text(ofRecipe: name)))
  }

  @Test("Ambiguous names with other libraries are public types")
  func clashes() throws {
    let page = try Self.text(of: "\(Self.catalog)/ComingFromOtherLibraries.md")
    let sections = page.split(separator: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("Names that two libraries have") })
    let rows = section.split(separator: "\n").filter {
      $0.hasPrefix("| Alamofire") || $0.hasPrefix("| HTTPTypes")
    }
    let names = rows.flatMap { $0.matches(of: #/`(\w+)`/#).map { String($0.1) } }
    let list = try String(
      contentsOf: PublicSymbolsTests.folder.appendingPathComponent("PublicSymbols-Errand.txt"),
      encoding: .utf8)
    let known = Set(
      list.split(separator: "\n").compactMap { $0.split(separator: ":").first.map(String.init) })
    #expect(names.count == 11)
    #expect(names.filter { !known.contains($0) } == [])
  }

  @Test("An outdated sample is found")
  func noticed() async throws {
    let (status, output) = try await Compiler.typecheck(
      Self.prelude + "let agent = RequestAgent(baseUrl: \"x\")\n")
    #expect(status != 0)
    #expect(output.contains("baseUrl"))
  }

  @Test("The first sample of README begins by line 15")
  func firstSample() throws {
    let line = try Self.text(of: "README.md").components(separatedBy: "\n").firstIndex {
      $0.hasPrefix("```swift")
    }
    #expect(try #require(line) < 15)
  }

  static func text(of page: String) throws -> String {
    try String(contentsOf: Compiler.root.appendingPathComponent(page), encoding: .utf8)
  }

  private static let recipes = ["XMLResponse"] + recipesForPackages
  /// Recipes that only `Tests/Bridges` can compile.
  private static let recipesForPackages = [
    "AgentClientTransport", "AgentService", "HTTPTypesConversion", "RequestMetrics", "RequestTracing",
    "SwiftLogSink",
  ]

  private static func text(ofRecipe name: String) throws -> String {
    String(try text(of: "Tests/Bridges/Tests/BridgeTests/\(name).swift").dropLast())
  }

  static func blocks(of page: String) throws -> [String] {
    let recipes = try recipesForPackages.map(text(ofRecipe:))
    return swiftBlocks(in: try text(of: page)).filter { !recipes.contains($0) }
  }

  static func swiftBlocks(in text: String) -> [String] {
    var blocks: [String] = []
    var current: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = current {
        if line == "```" {
          blocks.append(lines.joined(separator: "\n"))
          current = nil
        } else {
          current = lines + [line]
        }
      } else if line == "```swift" {
        current = []
      }
    }
    return blocks
  }
}

import Foundation
import Testing

/// Takes the Swift blocks out of README and the guides and lets the compiler read them, as one program each.
@Suite("The samples of the documentation")
struct DocumentationSamplesTests {
  static let catalog = "Sources/Errand/Errand.docc"

  /// README and every article that has samples.
  static let pages = ["README.md"] + articles

  private static let articles: [String] = {
    let folder = Compiler.root.appendingPathComponent(catalog).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
      .filter { (try? blocks(of: $0))?.isEmpty == false }
  }()

  /// What every page takes for granted: models of the reader's own.
  static let prelude = """
    import Errand
    import Foundation
    struct User: Codable, Sendable { var id: Int; var name: String }
    struct AppError: Error {}

    """

  @Test("They compile without a warning", arguments: pages)
  func compiles(_ page: String) async throws {
    let (status, output) = try await Compiler.typecheck(
      Self.prelude + Self.blocks(of: page).joined(separator: "\n"))
    #expect(status == 0, "\(page):\n\(output)")
  }

  @Test("None of the pages with samples is left out")
  func complete() {
    #expect(Self.pages.contains("README.md"))
    for article in ["GettingStarted", "OneProtocolPerService"] {
      #expect(Self.pages.contains("\(Self.catalog)/\(article).md"))
    }
  }

  @Test("What they say of MainActor default isolation compiles with it, and not without nonisolated")
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

  @Test("A sample that no longer fits would be noticed")
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

  static func blocks(of page: String) throws -> [String] { swiftBlocks(in: try text(of: page)) }

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

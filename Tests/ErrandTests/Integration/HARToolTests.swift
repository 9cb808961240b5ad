import Foundation
import Testing

@Suite("errand-har, as a process")
struct HARToolTests {
  @Test("errand-har prints its findings, and its exit code reports problems")
  func runs() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "errand-\(UUID().uuidString).har")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(
      #"{"log":{"entries":[{"request":{"method":"GET","url":"https://h/a"},"response":{"status":0}}]}}"#.utf8
    ).write(to: file)
    let tool = Compiler.products.appendingPathComponent("errand-har").path
    let checked = try await Compiler.run(tool, ["check", file.path])
    #expect(checked == (1, "entry 1, GET https://h/a: there is no answer\n1 problem\n"))
    let listed = try await Compiler.run(tool, ["list", file.path])
    #expect(listed == (0, "entry 1, GET https://h/a, no answer\n"))
    #expect(try await Compiler.run(tool, []).0 == 64)
  }
}

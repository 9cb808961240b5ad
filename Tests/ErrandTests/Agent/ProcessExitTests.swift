import Foundation
import Testing

@Suite("A process that exits")
struct ProcessExitTests {
  @Test("With a hundred requests in flight it ends cleanly: no trap, no report, nothing printed")
  func exits() async throws {
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let (status, output) = try await Compiler.run(probe.path, [])
    #expect(output == "100 in flight\n")
    #expect(status == 0)
  }
}

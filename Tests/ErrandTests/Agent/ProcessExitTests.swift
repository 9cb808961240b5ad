import Foundation
import Testing

@Suite("Exit of the process")
struct ProcessExitTests {
  @Test("With 100 requests in flight the process exits cleanly, without a crash or output")
  func exits() async throws {
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let (status, output) = try await Compiler.run(probe.path, [])
    #expect(output == "100 in flight\n")
    #expect(status == 0)
  }
}

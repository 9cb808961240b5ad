import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Secrets and groups", .timeLimit(.minutes(5)))
struct GroupRedactionTests {
  struct Tenant: RequestHooks { let code = Secret("tenant-4711") }

  struct Writer: GroupAccessory {
    let recorder: Recorder
    func groupDidStop(_ report: GroupReport, context: GroupContext) async {
      recorder.add(context.redaction.text("for tenant-4711"))
    }
  }

  let recorder = Recorder()

  func agent() -> RequestAgent {
    .mocked(by: MockTransport { _ in .text("for tenant-4711 and installation-42") }, hooks: [Tenant()])
  }

  @Test("Values stored by the agent's hooks are redacted in a group accessory's output")
  func context() async throws {
    var batch = UniformBatch([Member(path: "a")])
    batch.accessories = [Writer(recorder: recorder)]
    try await agent().send(batch)
    #expect(recorder.events == ["for <redacted>"])
  }

  @Test("The error of a group redacts the last member's secrets")
  func thrown() async throws {
    let request = OneOffRequest.get("a", query: ["id": Secret("installation-42")], as: String.self)
    let error = try await #require(throws: RequestError.self) {
      try await agent().send(
        ChainRequest { run in
          let text = try await run.send(request)
          throw Refusal("the page is \(text)")
        })
    }
    var timeless = error
    timeless.elapsed = .zero
    #expect(
      timeless.description == """
        The request failed: the page is for <redacted> and <redacted>.
        Stage build, after 0.000 s.
        """)
  }

  @Test("The error of a group redacts secrets before its first member")
  func thrownFirst() async throws {
    let error = try await #require(throws: RequestError.self) {
      try await agent().send(ChainRequest { _ in throw Refusal("no page for tenant-4711") })
    }
    #expect(error.description.contains("no page for <redacted>"))
  }
}
